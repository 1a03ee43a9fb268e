"""What turns a request into an edit; knows neither git nor screen nor disk."""
