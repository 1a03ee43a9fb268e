"""What language servers say of an edit."""
