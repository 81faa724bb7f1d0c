"""What was heard so far: the last question, names, whom pronouns mean, who "we" are, whether roles are played."""

from __future__ import annotations

import re

from memories.providers.llm.rules.antecedents import Antecedents
from memories.providers.llm.rules.clauses import split_clauses
from memories.providers.llm.rules.cutting import cut_run_on
from memories.providers.llm.rules.leads import strip_leads
from memories.providers.llm.rules.ours import weigh_ours, work_in
from memories.providers.llm.rules.people import with_owner
from memories.providers.llm.rules.prose import Sentence
from memories.providers.llm.rules.questions import is_made_up, is_role_play, opens_question
from memories.providers.llm.rules.verbs import is_finite
from memories.text.messages import ASSISTANT, USER, Message

HEAD = 2_000
"""Characters of a message that tell whether it is fiction."""
NEAR = 3
"""Sentences of a message whose things may still be meant in the next."""
TEAM, SPEAKER = "the team", "User"
_NAME = re.compile(r"(?<=[a-zé,'(;] )[A-Z][a-zà-ÿ]{2,}\b")


class Conversation:
    """Grows message by message."""

    def __init__(self) -> None:
        self.earlier: list[str] = []
        self.own: list[str] = []
        """What the user said of it."""
        self.asked = ""
        self.before = self.role = ""
        self.proposed: list[Sentence] = []
        self.names: dict[str, str] = {}
        self.antecedents = Antecedents()
        self._in_role = self._made_up = False
        self._work = 0

    @property
    def previous(self) -> str:
        return self.earlier[-1] if self.earlier else ""

    def is_meant(self, message: Message) -> bool:
        """Whether a message is told in earnest; a role is played until somebody ends it."""
        head = message.content[:HEAD]
        if message.role == USER:
            return not is_role_play(head, self._in_role) and not is_made_up(head)
        return message.role == ASSISTANT and not self._in_role

    def is_asked_by_other(self, role: str) -> bool:
        """Whether a message of this role may answer a question: nobody answers themselves."""
        return bool(self.asked) and self.role != role

    def who_we_are(self, clause: str, content: str) -> str:
        """ "We" is the user's team where work is talked about. Elsewhere what "we" do is what the user does, too."""
        head = content[:HEAD]
        return TEAM if (weigh_ours(clause, head) or work_in(head) or self._work) > 0 else SPEAKER

    def hear(self, message: Message, sentences: list[Sentence], is_read: bool = False) -> None:
        """`is_read` tells that the clauses of a message were noted while they were read."""
        by_user = message.role == USER
        if by_user:
            self._in_role = is_role_play(message.content[:HEAD], self._in_role)
            self._made_up = is_made_up(message.content[:HEAD])
            self._work += work_in(message.content[:HEAD])
        self.before, self.role = message.content, message.role
        self.proposed = [] if by_user else sentences
        if not sentences:
            self.asked = ""
            return
        for name in _NAME.findall(message.content[:HEAD]):
            if not is_finite(name.lower()):
                self.names[name.lower()] = name
        said = [sentence.text for sentence in sentences]
        self.earlier += said
        self.own += said if by_user else []
        # What a story or a joke asks, it asks nobody.
        self.asked = "" if self._made_up and not by_user else _asked(sentences, by_user)
        if not is_read:
            self._note(sentences, by_user)

    def _note(self, sentences: list[Sentence], by_user: bool) -> None:
        for sentence in sentences[:-NEAR]:
            self.antecedents.people.note(sentence.text)
        for sentence in sentences[-NEAR:]:
            for part in split_clauses(sentence.text, is_open=False):
                for clause in cut_run_on(part):
                    said = with_owner(strip_leads(clause).text) if by_user else clause
                    self.antecedents.note(said, by_user, sentence.is_question)


def _asked(sentences: list[Sentence], by_user: bool) -> str:
    """The question that the next message may answer; of a user, what they want to know even without a mark."""
    if by_user:
        asked = [one.text for one in sentences if one.is_question or opens_question(one.text)]
        return asked[-1] if asked else sentences[-1].text
    return next((one.text for one in reversed(sentences[-2:]) if one.is_question), "")
