"""What a language model is asked and what is believed of its answer: it points, and never types a number."""
