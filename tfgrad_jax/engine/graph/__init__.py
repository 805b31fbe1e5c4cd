"""Operations recorded once and replayed: graphs, and sizes that are not known yet."""
