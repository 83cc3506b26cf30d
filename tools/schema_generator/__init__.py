"""Makes the wire models of `parley.schema` from the schema of the protocol.

    facts        upstream schema files -> facts without prose, marked where unstable
    shape        the words for what is generated: fields, classes, aliases, methods
    annotation   one fact -> the text of a type
    build        facts + overrides -> classes, aliases and methods
    render       classes, aliases and methods -> source files

Nothing here runs when the library runs.
"""
