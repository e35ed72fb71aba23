"""The report: one HTML file that can be mailed, with the rules, how sure they are, and the figures behind them."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape

from hassle.model.words import rule_words
from hassle.studio.evidence import evidence, seen_of
from hassle.studio.study import Study, rules_text, with_judgements
from hassle.version import __version__

_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2.5rem auto;padding:0 1.2rem}
h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:2.2rem 0 .6rem}
p.sub,td.num,.quiet{color:#667}@media(prefers-color-scheme:dark){p.sub,td.num,.quiet{color:#9aa}}
table{border-collapse:collapse;width:100%}td,th{padding:.45rem .6rem .45rem 0;text-align:left;vertical-align:top;
border-bottom:1px solid #8884}th{font-weight:600;font-size:.85rem}td.num{white-space:nowrap;
font-variant-numeric:tabular-nums}meter{width:6rem}pre{white-space:pre-wrap;font-size:.85rem}
"""


def report(study: Study) -> str:
    """The report as one HTML text without scripts, in which every name is escaped."""
    name = escape(study.source.name if study.source else "study")
    data, learned = study.data, study.learned
    seen = with_judgements(seen_of(study.base), study.state.judgements)
    rows = []
    for rule in study.rules:
        told = evidence(rule, seen)
        kind = "must hold" if rule.weight is None else f"wish, weight {rule.weight:f}"
        pinned = " · pinned" if rule in study.pinned else ""
        rows.append(
            f"<tr><td>{escape(rule_words(rule.what, study.schema))}<br><span class=quiet>{escape(kind)}{pinned}</span>"
            f"</td><td class=num>{told.confidence:.0%}</td>"
            f"<td class=num>{told.good_keep} of {told.good}</td><td class=num>{told.bad_break} of {told.bad}</td></tr>"
        )
    explained = "" if learned is None or learned.share is None else (
        f"<p>The rules explain {learned.correct} of {learned.examples} examples ({learned.share:.0%}).</p>"
    )  # fmt: skip
    notes = "".join(f"<li>{escape(note)}</li>" for note in (learned.notes if learned else ()))
    steps = "".join(
        f"<li>{escape(step.said)}{f' — <em>{escape(step.note)}</em>' if step.note else ''}</li>"
        for step in study.steps[: study.at]
    )
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    good = int(data.positive.sum())
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}: rules</title><style>{_STYLE}</style></head><body>
<h1>{name}</h1>
<p class=sub>{len(data):,} examples, {good:,} of them good, in {len(data.contexts):,} situations · {when} ·
hassle {__version__}</p>
{explained}
<h2>Rules</h2>
<table><thead><tr><th>Rule</th><th>Sure</th><th>Good plans keep it</th><th>Bad plans break it</th></tr></thead>
<tbody>{"".join(rows) or "<tr><td>none yet</td></tr>"}</tbody></table>
<h2>How sure</h2>
<p class=quiet>Each situation in which good plans keep a rule better than bad ones speaks for it, each in which they
keep it worse against it. The share is the probability that more speak for it than against it; a half where nothing
was at stake.</p>
{f"<h2>Notes</h2><ul>{notes}</ul>" if notes else ""}
<h2>What was done</h2><ol>{steps}</ol>
<h2>The rules, to be read by hassle</h2><pre>{escape(rules_text(study.rules, study.schema))}</pre>
</body></html>
"""
