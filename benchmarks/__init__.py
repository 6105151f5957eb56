"""Measurements of elsewise; see README.md beside this file."""
