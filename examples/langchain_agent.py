"""A LangChain chain that remembers: `python examples/langchain_agent.py "I am vegan."`, then `… "What do I eat?"`."""

import sys

from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from memsite_langchain import MemsiteChatMessageHistory, MemsiteRetriever

from memsite_client import Memsite

with Memsite() as memsite:
    prompt = ChatPromptTemplate([("system", "Known of the user:\n{known}"), ("user", "{said}")])
    known = MemsiteRetriever(memsite=memsite) | (lambda found: "\n".join(f"- {one.page_content}" for one in found))
    # Your chat model stands here. This one answers with the first message of its prompt.
    model = RunnableLambda(lambda value: value.to_messages()[0])
    chain = {"known": known, "said": RunnablePassthrough()} | prompt | model

    said = sys.argv[1]
    answer = str(chain.invoke(said).text)
    chat = MemsiteChatMessageHistory("langchain-chat", memsite)  # what is said in it is learnt from
    chat.add_user_message(said)
    chat.add_ai_message(answer)
    print(answer)
