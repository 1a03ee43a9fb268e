import tempfile
import unittest
from pathlib import Path

import report
import storage

LUNCH = {"amount": 12.5, "category": "food", "note": "lunch"}
TRAIN = {"amount": 40.0, "category": "travel", "note": "train"}


class StorageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "expenses.csv"

    def test_what_is_appended_is_loaded(self):
        storage.append(self.path, 12.5, "food", "lunch")
        self.assertEqual(storage.load(self.path), [LUNCH])

    def test_a_missing_file_holds_no_expenses(self):
        self.assertEqual(storage.load(self.path), [])


class ReportTest(unittest.TestCase):
    def test_total_of_one_category(self):
        self.assertEqual(report.total([LUNCH, TRAIN], "food"), 12.5)

    def test_total_of_all(self):
        self.assertEqual(report.total([LUNCH, TRAIN]), 52.5)

    def test_top_has_as_many_as_asked_for(self):
        self.assertEqual(report.top([LUNCH, TRAIN], 1), [TRAIN])

    def test_table_ends_with_the_total(self):
        self.assertTrue(report.table([LUNCH, TRAIN]).endswith("total             52.50"))


if __name__ == "__main__":
    unittest.main()
