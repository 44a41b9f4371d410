"""The class at a glance."""


def class_page(summaries, marks):
    return ""
