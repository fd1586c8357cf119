//! Every format over one set of findings with hostile names.
