"""Files: fitted explainers, models and tables, on disk."""
