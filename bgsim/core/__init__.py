"""The game as a person says it: positions, notation, rules, scores and outcomes."""
