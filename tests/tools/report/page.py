"""A strict reader of whole HTML documents: every tag closed in order, and what is in them by place."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "img", "input"}
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "svg", "defs", "g", "path", "circle", "use", "rect", "text",
    "header", "h1", "h2", "h3", "p", "nav", "ul", "li", "a", "main", "section", "dl", "div", "dd", "dt", "span",
    "table", "thead", "tbody", "tr", "th", "td", "code", "em", "strong", "small", "details", "summary", "figure",
    "figcaption", "img", "article", "form", "label", "input", "select", "option", "output", "footer", "script",
}  # fmt: skip


class Article:
    """One answer of the report."""

    def __init__(self, attributes):
        self.attributes, self.text, self.heading, self.certificate, self.sentence = attributes, "", "", "", ""
        self.cells, self.images, self.details = [], [], []


class Page(HTMLParser):
    """Reads a document; fails at the first tag that is not closed in order, or that no report has."""

    def __init__(self, document):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.ids, self.links, self.attributes = [], [], [], [], []
        self.articles, self.text, self.style, self.script, self.title = [], "", "", "", ""
        self.by_section, self._classes, self._section = {}, [], None
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED, tag
        self.tags.append(tag)
        given = dict(attrs)
        assert len(given) == len(attrs)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if "id" in given:
            self.ids.append(given["id"])
        self.links += [given[name] for name in ("href", "src") if name in given]
        if tag == "section":
            self._section = given["id"]
            self.by_section[self._section] = ""
        if tag == "article":
            self.articles.append(Article(given))
        if self.articles and "article" in self.open:
            if tag == "tr":
                self.articles[-1].cells.append([])
            if tag in ("td", "th"):
                self.articles[-1].cells[-1].append("")
            if tag == "img":
                self.articles[-1].images.append(given)
        if tag not in VOID:
            self.open.append(tag)
            self._classes.append(given.get("class", ""))

    def handle_startendtag(self, tag, attrs):
        assert tag in ("use", "path", "circle")
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self._classes.pop()
        if tag == "section":
            self._section = None

    def handle_data(self, data):
        for tag in ("style", "script", "title"):
            if tag in self.open and "svg" not in self.open:
                setattr(self, tag, getattr(self, tag) + data)
                return
        self.text += data
        if self._section is not None:
            self.by_section[self._section] += data
        if "article" in self.open:
            self._in_article(self.articles[-1], data)

    def _in_article(self, article, data):
        article.text += data
        if "h3" in self.open:
            article.heading += data
        if "ew-certificate" in self._classes:
            article.certificate += data
        if "ew-sentence" in self._classes:
            article.sentence += data
        if "td" in self.open or "th" in self.open:
            article.cells[-1][-1] += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")
