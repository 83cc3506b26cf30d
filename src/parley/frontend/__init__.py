"""How a person sees an agent: the front ends. They know neither the wire nor its versions."""
