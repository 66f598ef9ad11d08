"""Language models behind LangChain: settings, provider, budget, cache, calling. Imported only where one is asked."""
