"""A LangGraph agent that remembers: `python examples/langgraph_agent.py "I am vegan."`, then `… "What do I eat?"`."""

import sys

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore
from memsite_langgraph import MemsiteStore

from memsite_client import Memsite

FACTS = ("ann", "facts")


def answer(state: MessagesState, *, store: BaseStore) -> dict[str, list[tuple[str, str]]]:
    said = str(state["messages"][-1].content)
    known = [item.value["text"] for item in store.search(FACTS, query=said) if item.score]
    if not said.endswith("?"):
        store.put(FACTS, key=said, value={"text": said})
    # A model would answer here, with what is known in its prompt.
    return {"messages": [("assistant", f"I remember: {known}" if known else "I know nothing of that yet.")]}


with Memsite() as memsite:
    graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer")
    agent = graph.compile(store=MemsiteStore(memsite))
    result = agent.invoke({"messages": [("user", sys.argv[1])]})
    print(result["messages"][-1].content)
