"""Match files: the two-column text that Jellyfish and GNU Backgammon export as .mat.

The record is taken as it is written: nothing is replayed here, plays stay text and no rule is asked.
"""

import io
import re
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Literal, NoReturn

from bgsim.core.errors import MatchFileError

__all__ = ["Ending", "Game", "Match", "Player", "Turn", "TurnKind", "read_mat", "read_mat_file"]

Player = Literal["left", "right"]  # the player's column, the same in all games of a match

CHECKERS = 15
_MIDDLE = 14  # where a lone entry begins: 5 or 6 in the left column, 33 or 34 in the right (tabs: 16)

_LENGTH = re.compile(r"\s*(\d{1,6}) point match\s*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game (\d{1,6})\s*", re.IGNORECASE)
_SCORE = re.compile(r"\s*(\S.*?)\s+:\s+(\d{1,6})\s+(\S.*?)\s+:\s+(\d{1,6})\s*")
_TURN_NUMBER = re.compile(r"\s*\d+\)")
_RESULT = re.compile(r"\s*Wins\b", re.IGNORECASE)
_MOVE = r"(?:bar|\d{1,2})(?:/(?:off|\d{1,2})\*?)+(?:\([2-4]\)\*?)?"
# Entries are read one after the other and not cut at a column: the four parts of a double often leave one
# blank before the right column, or push it further.
_ENTRY = re.compile(
    rf"\s*(?P<entry>(?P<roll>\d+):(?:\s*(?P<play>cannot move|{_MOVE}(?:\s+{_MOVE})*))?"
    r"|doubles\s*=>\s*(?P<double>\d{1,6})|(?P<take>takes)|(?P<drop>drops)"
    r"|wins\s+(?P<points>[1-9]\d{0,5})\s+points?(?P<match>\s+and\s+the\s+match)?)(?!\S)",
    re.IGNORECASE,
)
_BORNE_OFF = re.compile(r"/(?:off|0)(?!\d)\*?(?:\(([2-4])\))?", re.IGNORECASE)


class TurnKind(Enum):
    """What a player did with a turn, as far as the record says it."""

    PLAY = "play"
    NO_PLAY = "no play"  # "Cannot Move", or nothing after the roll while the game goes on
    ROLL_ONLY = "roll only"  # nothing after the roll, and the game or its record ends there: not a pass
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"


class Ending(Enum):
    """How a game came to its end."""

    PLAYED_OUT = "played out"
    DROP = "drop"
    RESIGNATION = "resignation"
    UNFINISHED = "unfinished"  # the record holds no result


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One entry of a column: the roll as written, the play as text, or what was done with the cube.

    Points in the text are seen from the player who played it. `cube` is the value that a double offers.
    """

    player: Player
    kind: TurnKind
    line: int  # of the file, from 1
    roll: tuple[int, int] | None = None
    text: str = ""
    cube: int | None = None


@dataclass(frozen=True, slots=True)
class Game:
    """One game: scores are (left, right), the winner is None and the points are 0 if no result is written."""

    number: int
    score_before: tuple[int, int]
    turns: tuple[Turn, ...]
    _: KW_ONLY
    winner: Player | None
    points: int
    ended_match: bool

    @property
    def score_after(self) -> tuple[int, int]:
        """The score with this game's points, which may pass the match length: (left, right)."""
        left, right = self.score_before
        return left + self.points * (self.winner == "left"), right + self.points * (self.winner == "right")

    @property
    def ending(self) -> Ending:
        """How the game ended: a result that was neither dropped nor played out is a resignation.

        Played out means that the texts of the winner's plays bear off 15 checkers; no board is kept.
        """
        if self.winner is None:
            return Ending.UNFINISHED
        if self.turns and self.turns[-1].kind is TurnKind.DROP:
            return Ending.DROP
        texts = [turn.text for turn in self.turns if turn.player == self.winner]
        borne_off = sum(int(times or 1) for text in texts for times in _BORNE_OFF.findall(text))
        return Ending.PLAYED_OUT if borne_off >= CHECKERS else Ending.RESIGNATION


@dataclass(frozen=True, slots=True)
class Match:
    """A match, or money games (match length 0): the names are (left, right)."""

    match_length: int
    players: tuple[str, str]
    games: tuple[Game, ...]

    @property
    def final_score(self) -> tuple[int, int]:
        """The points won, (left, right); more than the match length where the last game paid more."""
        return self.games[-1].score_after

    @property
    def winner(self) -> Player | None:
        """Who won the match; None if it is not over in the record, and for money games."""
        return self.games[-1].winner if self.games[-1].ended_match else None


def read_mat(text: str) -> Match:
    """Return the match that the text of a .mat file records.

    Raises:
        MatchFileError: a line that is unknown, broken or out of place, named by its number.

    Source: files that GNU Backgammon wrote; the case list's rows S11, X01, X03, X06 and X08.

    >>> match = read_mat('''
    ...  1 point match
    ...
    ...  Game 1
    ...  Ann : 0                        Bob : 0
    ...   1)                             62: 24/18 13/11
    ...   2) 62: 13/7* 24/22             51:
    ...       Wins 1 point
    ... ''')
    >>> match.winner, match.final_score, match.games[0].ending.value
    ('left', (1, 0), 'resignation')
    >>> [(turn.player, turn.kind.value, turn.text) for turn in match.games[0].turns[1:]]
    [('left', 'play', '13/7* 24/22'), ('right', 'roll only', '')]
    """
    reader = _Reader()
    # newline=None ends lines at LF, CRLF and CR only; str.splitlines would also cut names at U+0085.
    for line in io.StringIO(text.removeprefix("\ufeff"), newline=None):
        reader.read(line.rstrip().expandtabs())
    return reader.match()


def read_mat_file(path: str | Path) -> Match:
    """Return the match of a .mat file in UTF-8 or, as old programs wrote it, Latin-1.

    Raises:
        MatchFileError: no such file, not a text file, or a line that cannot be read.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise MatchFileError(f"cannot read {path}: {error.strerror or error}") from None
    if b"\0" in data:
        raise MatchFileError(f"{path} is not a text file: a .mat match file in UTF-8 or Latin-1 is needed")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    try:
        return read_mat(text)
    except MatchFileError as error:
        raise MatchFileError(f"{path}, {error}") from None


@dataclass(slots=True)
class _Reader:
    """What has been read so far: the finished games, and the open one from its "Game" line to its result."""

    line: int = 0
    match_length: int | None = None
    players: tuple[str, str] | None = None
    games: list[Game] = field(default_factory=list)
    number: int | None = None  # of the open game
    score: tuple[int, int] | None = None  # of the open game; None between its "Game" line and its names
    turns: list[Turn] = field(default_factory=list)

    def read(self, line: str) -> None:
        self.line += 1
        if not line:
            return
        if self.number is not None and self.score is None:  # first: a name may look like any other line
            self._read_score(line)
        elif line.lstrip().startswith((";", "#")):
            return
        elif found := _LENGTH.fullmatch(line):
            if self.match_length is not None:
                self._fail("a second match length: a file holds one match")
            self.match_length = int(found[1])
        elif found := _GAME.fullmatch(line):
            self._open(int(found[1]))
        elif found := _TURN_NUMBER.match(line):
            self._read_entries(line, found.end())
        elif _RESULT.match(line):
            self._read_entries(line, 0)
        else:
            known = "'; ...', '7 point match', 'Game 1', '1) 31: 8/5 6/5   42: 8/4 6/4' and 'Wins 1 point'"
            self._fail(f"{_shown(line)} is no line of a match file; known are lines such as {known}")

    def match(self) -> Match:
        if self.number is not None:
            self._close(None, 0)
        if self.match_length is None or self.players is None:
            self._fail("the file ends without a game: lines such as '7 point match' and 'Game 1' are missing")
        return Match(self.match_length, self.players, tuple(self.games))

    def _fail(self, what: str) -> NoReturn:
        raise MatchFileError(f"line {self.line}: {what}")

    def _open(self, number: int) -> None:
        if self.match_length is None:
            self._fail("a game before the match length: a line such as '7 point match' must come first")
        if self.number is not None:
            self._close(None, 0)
        self.number, self.score, self.turns = number, None, []

    def _read_score(self, line: str) -> None:
        found = _SCORE.fullmatch(line)
        if not found:
            self._fail(f"{_shown(line)} does not give the players and the score as 'name : 0   name : 0'")
        players, score = (found[1], found[3]), (int(found[2]), int(found[4]))
        if self.players not in (None, players):
            self._fail("the players {!r} and {!r} are not those of the game before".format(*players))
        if self.games and score != self.games[-1].score_after:
            self._fail(
                "the score {}-{} is not {}-{}, as the game before left it".format(
                    *score, *self.games[-1].score_after
                )
            )
        self.players, self.score = players, score

    def _read_entries(self, line: str, at: int) -> None:
        entries: list[re.Match[str]] = []
        while at < len(line):
            found = _ENTRY.match(line, at)
            if not found:
                known = "'61: 8/2 6/5', '61:', 'Doubles => 2', 'Takes', 'Drops' and 'Wins 1 point'"
                self._fail(f"cannot read {_shown(line[at:])}; known are entries such as {known}")
            entries.append(found)
            at = found.end()
        in_right_column = [entry.start("entry") >= _MIDDLE for entry in entries]
        if len(entries) not in (1, 2) or (len(entries) == 2 and in_right_column[0]):
            self._fail(f"{_shown(line)} has not one entry a column: one or two entries are needed")
        for index, entry in enumerate(entries):
            self._read_entry("right" if index or in_right_column[0] else "left", entry)

    def _read_entry(self, player: Player, entry: re.Match[str]) -> None:
        if self.number is None:
            self._fail(f"{_shown(entry['entry'])} stands outside a game: a line such as 'Game 1' is missing")
        if entry["points"]:
            self._close(player, int(entry["points"]), said_match=entry["match"] is not None)
            return
        roll, text, cube = None, "", None
        if entry["roll"]:
            if not re.fullmatch("[1-6]{2}", entry["roll"]):
                self._fail(f"{entry['roll']!r} is not a roll: two dice from 1 to 6 are needed, such as '61:'")
            roll = (int(entry["roll"][0]), int(entry["roll"][1]))
            text = " ".join((entry["play"] or "").split())
            kind = TurnKind.PLAY if "/" in text else TurnKind.NO_PLAY
        elif entry["double"]:
            kind, cube = TurnKind.DOUBLE, int(entry["double"])
        else:
            kind = TurnKind.TAKE if entry["take"] else TurnKind.DROP
        self.turns.append(Turn(player=player, kind=kind, line=self.line, roll=roll, text=text, cube=cube))

    def _close(self, winner: Player | None, points: int, *, said_match: bool = False) -> None:
        if self.number is None or self.score is None:
            self._fail("the file ends before the players and the score of its last game")
        if self.turns and self.turns[-1].kind is TurnKind.NO_PLAY and not self.turns[-1].text:
            self.turns[-1] = replace(self.turns[-1], kind=TurnKind.ROLL_ONLY)
        before, turns = self.score, tuple(self.turns)
        game = Game(self.number, before, turns, winner=winner, points=points, ended_match=said_match)
        if self.match_length and max(game.score_after) >= self.match_length:
            game = replace(game, ended_match=True)
        self.games.append(game)
        self.number = None


def _shown(text: str) -> str:
    """The text in quotes for a message, cut where it is long."""
    text = text.strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")
