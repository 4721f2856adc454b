"""How weights are made: self-play, targets, gradients."""
