"""What flows through the graphs: state schemas, settings, records, paths and errors."""
