def worth(xp, x, form): return False
