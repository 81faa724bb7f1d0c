"""Leaving and coming from elsewhere: an app as a file, and other systems' files as what is learnt from."""
