"""Teaching a pretrained model to edit: requests, rows, the trainer, and the evaluation."""
