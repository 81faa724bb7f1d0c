"""What agents reach over the Model Context Protocol: tools, resources, a prompt. Streamable HTTP, without sessions."""
