"""What people run, see and keep: command line, explorer, report, pictures, files, batches, audits."""
