"""Command line of the expense keeper."""

import argparse

import report
import storage


def parse(argv=None):
    parser = argparse.ArgumentParser(prog="expenses")
    parser.add_argument("--file", default="expenses.csv")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add")
    add.add_argument("amount", type=float)
    add.add_argument("category")
    add.add_argument("note", nargs="?")
    commands.add_parser("report")
    top = commands.add_parser("top")
    top.add_argument("count", type=int)
    return parser.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    if args.command == "add":
        storage.append(args.file, args.amount, args.category, args.note)
        print("added %s to %s" % (args.amount, args.category))
    elif args.command == "report":
        print(report.table(storage.load(args.file)))
    else:
        for expense in report.top(storage.load(args.file), args.count):
            print("%10.2f  %s" % (expense["amount"], expense["category"]))


if __name__ == "__main__":
    main()
