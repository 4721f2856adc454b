"""Fitting: gradients against finite differences, Adam by its formula, and that it learns."""

from __future__ import annotations

import random
from functools import cache
from itertools import islice

import numpy as np
import pytest

from bgsim.core.errors import PolicyError
from bgsim.kernels.features import WORDS
from bgsim.kernels.fitting import write_words
from bgsim.training.fit import DECAY, LARGEST_SUM, Fit, chances_of, equities
from tests import oracle
from tests.kernels.plain_nets import plain_inputs, plain_sums, rows_of_boards

SMALL = [(16,), (12, 8), (24, 16, 8)]  # a contact net and a race net of no more than a test needs


@cache
def boards_of(number, seed=41):
    rng = random.Random(seed)
    return list(islice(oracle.played_positions(rng, every=9), number))


def words_of(boards):
    words = np.zeros((len(boards), WORDS), np.uint64)
    write_words(rows_of_boards(boards), words, np.zeros(len(boards), np.bool_))
    return words


def targets_of(number, seed=42):
    """Cumulative chances of random shares of the six outcomes."""
    shares = np.random.default_rng(seed).dirichlet(np.ones(6), number)
    w, wg, wb, _, lg, lb = shares.T
    return np.stack([w + wg + wb, wg + wb, wb, lg + lb, lb], axis=1).astype(np.float32)


def moved_biases(fit, seed=43):
    """Biases that are not 0, so that an error in them shows."""
    rng = np.random.default_rng(seed)
    for biases in fit.biases:
        biases[:] = rng.normal(0, 0.3, biases.shape)
    return fit


# --- plain float64 --------------------------------------------------------------------------------


def plain_logits(weights, biases, inputs):
    """Log odds of rows of inputs that are 0 or 1."""
    layer = inputs
    for number, (matrix, constants) in enumerate(zip(weights, biases, strict=True)):
        layer = (layer if number == 0 else layer.clip(0, 8)) @ matrix + constants
    return layer


def plain_loss(logits, targets):
    """Mean cross entropy of the six outcomes: -sum of their shares times the logarithms of their chances."""
    odds = 1 / (1 + np.exp(-logits))
    win, gammon, backgammon, lose_gammon, lose_backgammon = odds.T
    chances = (
        win * (1 - gammon),
        win * gammon * (1 - backgammon),
        win * gammon * backgammon,
        (1 - win) * (1 - lose_gammon),
        (1 - win) * lose_gammon * (1 - lose_backgammon),
        (1 - win) * lose_gammon * lose_backgammon,
    )
    w, wg, wb, lg, lb = targets.astype(np.float64).T
    shares = w - wg, wg - wb, wb, 1 - w - lg, lg - lb, lb
    return -sum((share * np.log(chance)).mean() for share, chance in zip(shares, chances, strict=True))


def dense_inputs(boards):
    inputs = np.zeros((len(boards), 1280))
    for row, board in zip(inputs, boards, strict=True):
        row[sorted(plain_inputs(board))] = 1
    return inputs


# --- gradients ------------------------------------------------------------------------------------


def gradients_of(fit, words, chosen, targets):
    """After one step of Adam its means are a tenth of the gradients."""
    fit.step(words, chosen, targets, rate=0.0)
    return [means / np.float32(0.1) for means in fit.means]


@pytest.mark.slow
@pytest.mark.parametrize("widths", SMALL, ids=str)
def test_gradients_are_the_finite_differences_of_the_loss(widths):
    """Every layer's weights and biases, at their 15 largest and 15 other places, in double precision."""
    fit = moved_biases(Fit(widths, np.random.default_rng(44)))
    boards, targets = boards_of(30), targets_of(30)
    chosen = np.arange(30)[::-1].copy()
    found = gradients_of(fit, words_of(boards), chosen, targets[chosen])
    inputs = dense_inputs(boards)
    arrays = [array.astype(np.float64) for array in (*fit.weights, *fit.biases)]
    count, step, rng = len(fit.weights), 1e-6, np.random.default_rng(45)

    def loss():
        return plain_loss(plain_logits(arrays[:count], arrays[count:], inputs), targets)

    for array, gradient in zip(arrays, found, strict=True):
        flat, slopes = array.reshape(-1), gradient.reshape(-1)
        places = {*np.argsort(-np.abs(slopes))[:15].tolist(), *rng.integers(0, len(flat), 15).tolist()}
        for place in places:
            kept = flat[place]
            flat[place] = kept + step
            above = loss()
            flat[place] = kept - step
            below = loss()
            flat[place] = kept
            assert slopes[place] == pytest.approx((above - below) / (2 * step), rel=2e-3, abs=2e-6)


def test_first_layer_learns_only_from_inputs_that_are_on():
    fit = Fit((16,), np.random.default_rng(46))
    boards = boards_of(4)
    gradients = gradients_of(fit, words_of(boards), np.arange(4), targets_of(4))[0]
    on = set().union(*map(plain_inputs, boards))
    assert set(np.flatnonzero(gradients.any(axis=1)).tolist()) <= on
    assert gradients[sorted(on)].any(axis=1).mean() > 0.9


def test_saturated_units_learn_nothing():
    """A unit below 0 or above 8 for the whole batch: neither its rows nor its bias change."""
    fit = Fit((16, 8), np.random.default_rng(47))
    fit.biases[0][[3, 5]] = -100, 100
    gradients = gradients_of(fit, words_of(boards_of(12)), np.arange(12), targets_of(12))
    assert not gradients[0][:, [3, 5]].any()
    assert not gradients[3][[3, 5]].any()
    assert gradients[0][:, [2, 4]].any()
    assert not gradients[1][3].any()  # its activation is 0
    assert gradients[1][5].any()  # its activation is 8


# --- the forward pass and the loss's equity -------------------------------------------------------


@pytest.mark.parametrize("widths", SMALL, ids=str)
def test_forward_is_plain_arithmetic(widths):
    fit = moved_biases(Fit(widths, np.random.default_rng(48)))
    boards = boards_of(20)
    logits = fit.forward(words_of(boards), np.arange(20))[-1]
    assert logits == pytest.approx(plain_logits(fit.weights, fit.biases, dense_inputs(boards)), abs=1e-4)


def test_rounded_net_says_what_the_real_one_says():
    """Log odds in 2^-21; the weights are rounded to 512ths, so they agree to a few hundredths."""
    fit = moved_biases(Fit((128, 32), np.random.default_rng(49)))
    fit.weights[-1] *= 3
    boards = boards_of(40)
    logits = fit.forward(words_of(boards), np.arange(40))[-1]
    net = fit.net()
    whole = np.array([plain_sums(net, board) for board in boards]) / 2**21
    assert np.abs(logits).max() > 1
    assert np.abs(whole - logits).max() < 0.1


def test_equities_and_chances_by_hand():
    """Even odds: 1/2, 1/4, 1/8, 1/4, 1/8, equity 0. Certain backgammon: 3; certain loss of a gammon: -2."""
    logits = np.array([[0, 0, 0, 0, 0], [99, 99, 99, 0, 0], [-99, 0, 0, 99, -99]], np.float32)
    chances = chances_of(logits)
    expected = [[1 / 2, 1 / 4, 1 / 8, 1 / 4, 1 / 8], [1, 1, 1, 0, 0], [0, 0, 0, 1, 0]]
    assert chances == pytest.approx(np.array(expected), abs=1e-6)
    assert equities(chances) == pytest.approx(np.array([0, 3, -2]), abs=1e-5)


def test_step_returns_the_mean_squared_error_of_the_equity():
    fit = Fit((16,), np.random.default_rng(50))
    boards, targets = boards_of(10), targets_of(10)
    words, chosen = words_of(boards), np.arange(10)
    odds = 1 / (1 + np.exp(-plain_logits(fit.weights, fit.biases, dense_inputs(boards))))
    win, lose = odds[:, 0], 1 - odds[:, 0]
    equity = win * (1 + odds[:, 1] * (1 + odds[:, 2])) - lose * (1 + odds[:, 3] * (1 + odds[:, 4]))
    w, wg, wb, lg, lb = targets.T
    expected = ((equity - (2 * w - 1 + wg + wb - lg - lb)) ** 2).mean()
    assert fit.step(words, chosen, targets, rate=0.0) == pytest.approx(expected, rel=1e-4)


# --- steps ----------------------------------------------------------------------------------------


def test_steps_are_those_of_adam():
    """Kingma and Ba, the end of section 2, on the gradients that the first test has shown to be right.

    With decay apart from the gradients, as Loshchilov and Hutter have it.
    """
    fit, other = (Fit((16,), np.random.default_rng(51)) for _ in range(2))
    words, chosen, targets, rate = words_of(boards_of(8)), np.arange(8), targets_of(8), 0.01
    means = squares = 0.0
    bias = other.biases[-1].astype(np.float64)
    for t in range(1, 6):
        before = [array.copy() for array in (*fit.weights, *fit.biases)]
        for array, now in zip((*other.weights, *other.biases), before, strict=True):
            array[:] = now
        for kept in other.means:
            kept[:] = 0
        gradient = gradients_of(other, words, chosen, targets)[-1].astype(np.float64)
        fit.step(words, chosen, targets, rate)
        means, squares = 0.9 * means + 0.1 * gradient, 0.999 * squares + 0.001 * gradient**2
        rate_now = rate * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        bias = bias * (1 - rate * DECAY) - rate_now * means / (np.sqrt(squares) + 1e-8)
        assert fit.biases[-1] == pytest.approx(bias, abs=1e-6)
    assert np.abs(bias).max() > 0.03


def test_sums_of_weights_stay_in_their_integers_range():
    """Weights far too large are scaled down output by output, so that the net can still be rounded."""
    fit = Fit((128, 32), np.random.default_rng(54))
    words, chosen, targets = words_of(boards_of(8)), np.arange(8), targets_of(8)
    small = fit.weights[1][:, 1].copy()
    fit.weights[1][:, 0] = 3.0
    with pytest.raises(PolicyError, match="so large that a sum could overflow"):
        fit.net()
    fit.step(words, chosen, targets, 1e-9)
    assert np.abs(fit.weights[1][:, 0]).sum() == pytest.approx(LARGEST_SUM, rel=1e-6)
    assert fit.weights[1][:, 1] == pytest.approx(small, abs=1e-6)
    fit.net()


def test_training_on_a_fixed_batch_learns_it():
    """64 positions with an outcome each: the loss falls from chance level to nearly nothing."""
    fit = Fit((32, 16), np.random.default_rng(52))
    boards, rng = boards_of(64), np.random.default_rng(53)
    won, points = rng.random(64) < 0.5, rng.integers(1, 4, 64)
    lost = ~won
    outcomes = won, won & (points > 1), won & (points > 2), lost & (points > 1), lost & (points > 2)
    targets = np.stack(outcomes, axis=1).astype(np.float32)
    words, chosen = words_of(boards), np.arange(64)
    inputs = dense_inputs(boards)

    def loss():
        return plain_loss(plain_logits(fit.weights, fit.biases, inputs).clip(-30, 30), targets)

    first, losses = loss(), []
    errors = []
    for _ in range(4):
        errors += [fit.step(words, chosen, targets, rate=3e-3) for _ in range(60)]
        losses.append(loss())
    assert first > 1.0
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.05
    assert errors[0] > 1.0
    assert errors[-1] < 0.02


@pytest.mark.parametrize("threads", [1, 3, 7])
def test_number_of_threads_changes_no_bit(threads):
    def trained(number):
        fit = Fit((256, 16), np.random.default_rng(54), number)
        words, targets = words_of(boards_of(50)), targets_of(50)
        for seed in range(3):
            chosen = np.random.default_rng(seed).permutation(50)[:37]
            fit.step(words, chosen, targets[chosen], rate=1e-3)
        return [array.tobytes() for array in (*fit.weights, *fit.biases)]

    assert trained(threads) == trained(2)


def test_input_of_the_constant_has_no_weight():
    """Its row is the bias of the rounded net."""
    fit = Fit((128,), np.random.default_rng(55))
    fit.step(words_of(boards_of(4)), np.arange(4), targets_of(4), rate=1e-3)
    assert not fit.weights[0][0].any()
    assert not fit.net().layers[0].weights[0].any()
