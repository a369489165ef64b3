"""
Common parts of all pages: the style sheet, and the script that renders opened parts.

Parts that are not needed at first are in `<noscript>` inside of their `<details>`: a browser with scripts treats them as text and creates no
elements before they are opened; a browser without scripts shows them.
"""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--text:#1f2328;--back:#fff;--soft:#656d76;--edge:#d1d9e0;--all:#dafbe1;--some:#fff3c4;--seen:#dbe9ff;--none:#ffdcd7;--out:#eaeef2}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--back:#0d1117;--soft:#8d96a0;--edge:#30363d;--all:#12361f;--some:#3d3005;--seen:#14294a;--none:#4b1113;--out:#262c36}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:90rem;padding:1rem 1.5rem 4rem;background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{display:inline;font-size:1.15rem;overflow-wrap:anywhere}a{color:inherit}
table{border-collapse:collapse}td,th{padding:.25rem .9rem .25rem 0;text-align:right;border-bottom:1px solid var(--edge)}
td:first-child,th:first-child{text-align:left;overflow-wrap:anywhere}
.key span{padding:.1rem .5rem;margin-right:.8rem;border-radius:3px}
.code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.code{border:1px solid var(--edge);border-radius:6px;overflow-x:auto}
.block{content-visibility:auto;contain-intrinsic-size:auto 1900px}
.block>div{display:flex;white-space:pre;min-height:1.45em;counter-increment:line}
.block>div::before{content:counter(line);flex:none;width:5em;padding-right:1em;text-align:right;color:var(--soft)}
.all{background:var(--all)}.some{background:var(--some)}.seen{background:var(--seen)}.none{background:var(--none)}.out{background:var(--out)}
.block>div[id]{scroll-margin:40vh 0}.block>div:target{outline:2px solid var(--soft);outline-offset:-2px}
.why{margin:0 0 0 5em;padding:.1rem .8rem .3rem;border-left:3px solid var(--edge);white-space:normal;font-family:system-ui,sans-serif;color:var(--soft)}
.why li{color:var(--text)}.why summary,.all-missing summary{cursor:pointer;color:var(--soft)}
.why ul,.all-missing ul{margin:.3rem 0;padding-left:1.3rem}.why p{margin:.3rem 0}
pre{margin:.3rem 0 .6rem;padding:.5rem .8rem;border:1px solid var(--edge);border-radius:6px;overflow-x:auto;background:var(--back)}
.crd{margin-top:1.5rem}.crd>summary{cursor:pointer}.all-missing{margin:.6rem 0}
.fold>summary{padding-left:5em;cursor:pointer;color:var(--soft);background:var(--out);font-family:system-ui,sans-serif}
kbd{padding:0 .35rem;border:1px solid var(--edge);border-radius:3px}.soft{color:var(--soft)}
"""
SCRIPT: Final = """
(() => {
  const crds = [...document.querySelectorAll("details.crd")];
  const misses = crds.flatMap(crd => crd.dataset.missing.split(" ").filter(Boolean).map(line => `#c${crd.id.slice(4)}-${line}`));
  const draw = around => {
    for (const later of around.querySelectorAll("noscript"))
      if (later.closest("details") === around) later.outerHTML = later.textContent;
  };
  const open = around => {
    draw(around);
    around.open = true;
  };
  const prepare = hash => {
    const [, number, line] = /^#c(?:rd-)?(\\d+)(?:-(\\d+))?$/.exec(hash) || [];
    const crd = number && document.getElementById(`crd-${number}`);
    if (!crd) return null;
    open(crd);
    for (const fold of line ? crd.querySelectorAll(".fold") : [])
      if (+fold.dataset.first <= +line && +line <= +fold.dataset.last) open(fold);
    return document.getElementById(hash.slice(1));
  };
  const go = step => {
    const here = location.hash, known = misses.indexOf(here);
    const first = Math.max(0, misses.findIndex(miss => miss.startsWith(`${here.replace("rd-", "")}-`)));
    const next = misses[known >= 0 ? known + step : step > 0 ? first : misses.length - 1];
    const other = document.querySelector(step > 0 ? "a[rel=next]" : "a[rel=prev]");
    if (next) {
      prepare(next);
      location.replace(next);
    } else if (other) location.href = other.href + (step > 0 ? "#first" : "#last");
  };
  const arrive = () => {
    if (location.hash === "#first") go(1);
    else if (location.hash === "#last") go(-1);
    else prepare(location.hash)?.scrollIntoView();
  };
  crds.filter(crd => crd.open).forEach(draw);
  document.addEventListener("toggle", event => event.target.open && draw(event.target), true);
  document.addEventListener("click", event => prepare(event.target.closest("a[href^='#']")?.hash || ""));
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "n") go(1);
    if (event.key === "p") go(-1);
  });
  addEventListener("hashchange", arrive);
  document.getElementById("keys").hidden = false;
  arrive();
})();
"""
