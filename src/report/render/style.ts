/** The page's style sheet: light and dark by the reader's setting, readable from a phone to paper, no font to load. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#f7f6f3;--card:#fff;--ink:#1d1d1b;--dim:#66655f;--line:#e2e0da;--soft:#efede8;
--ok:#2c7a4b;--aborted:#b0720c;--failed:#bb3a2b;--open:#2f66c4;--accent:#2f5fa8;
--u1:#7fa6dc;--u2:#c9d7ea;--u3:#9fc7a8;--u4:#2f5fa8}
@media (prefers-color-scheme:dark){:root{--bg:#161615;--card:#1f1f1d;--ink:#ecebe6;--dim:#a09e95;--line:#383733;--soft:#2a2926;
--ok:#5cb880;--aborted:#dba13f;--failed:#e5796b;--open:#79a6f0;--accent:#8ab4f2;
--u1:#5b86c2;--u2:#34465f;--u3:#4d8060;--u4:#8ab4f2}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:980px;margin:0 auto;padding:32px 20px 56px}
h1{font-size:1.75rem;line-height:1.2;margin:0}
h2{font-size:1.15rem;margin:36px 0 10px}
p{margin:0}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
code,.cite{font:.86em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.sub{color:var(--dim);margin-top:4px}
.partial{display:inline-block;color:var(--aborted);border:1px solid currentColor;border-radius:99px;padding:0 9px;font-size:.82rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(110px,1fr));gap:1px;margin:22px 0 0;background:var(--line);border:1px solid var(--line);border-radius:10px;overflow:hidden}
.tiles div{background:var(--card);padding:12px 14px}
.tiles dt{color:var(--dim);font-size:.8rem}
.tiles dd{margin:0;font-size:1.3rem;font-weight:600;line-height:1.3}
.tiles small{display:block;font-size:.78rem;font-weight:400;color:var(--dim)}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 18px;margin-top:12px}
.timeline{display:block;overflow:visible}
.timeline text{fill:var(--dim);font-size:11.5px;font-family:inherit}
.timeline .lane{fill:var(--ink);font-size:12.5px;paint-order:stroke;stroke:var(--card);stroke-width:5px;stroke-linejoin:round}
.tick{stroke:var(--line)}
.track{fill:var(--soft)}
.bar{stroke-width:2;stroke:currentColor;fill:currentColor}
.bar.completed,.mark.completed{color:var(--ok)}
.bar.aborted,.mark.aborted{color:var(--aborted)}
.bar.unproven,.mark.unproven{color:var(--failed)}
.bar.failed,.mark.failed{color:var(--failed)}
.bar.open,.mark.open{color:var(--open)}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;color:var(--dim);font-size:.82rem;margin-top:10px}
.legend i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px;background:currentColor}
.legend .in{color:var(--u1)}.legend .read{color:var(--u2)}.legend .write{color:var(--u3)}.legend .out{color:var(--u4)}
.legend span span{color:var(--dim)}
.sessions{list-style:none;margin:12px 0 0;padding:0;color:var(--dim);font-size:.85rem}
.turns{list-style:none;margin:14px 0 0;padding:0}
.turn{display:grid;grid-template-columns:88px 1fr;gap:0 14px;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 18px;margin-top:10px;scroll-margin-top:12px}
.turn:target{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}
.when{font-variant-numeric:tabular-nums;font-weight:600}
.when small{display:block;font-weight:400;color:var(--dim);font-size:.82rem}
.clock{white-space:nowrap}
.mark{font-weight:700}
.body{min-width:0}
.words{margin:0;white-space:pre-line;overflow:hidden}
.kind{display:inline-block;background:var(--soft);color:var(--dim);border-radius:4px;padding:0 6px;font-size:.78rem;margin-right:6px}
.result{margin:4px 0 0;font-weight:600}
.result::before{content:"→ ";color:var(--dim)}
.facts{color:var(--dim);font-size:.86rem;margin-top:6px}
.notes{list-style:none;margin:8px 0 0;padding:0;font-size:.88rem}
.notes li{padding-left:1.5em;text-indent:-1.5em;margin-top:3px}
.notes b{display:inline-block;width:1.5em;text-indent:0;font-weight:600}
.bad b{color:var(--failed)}.file b{color:var(--accent)}.commit b{color:var(--ok)}.child b{color:var(--aborted)}
.list{list-style:none;margin:0;padding:0}
.list li{padding:10px 0;border-top:1px solid var(--line)}
.list li:first-child{border-top:0;padding-top:0}
.list li:last-child{padding-bottom:0}
.list .tag{font-weight:600}
.list .from{color:var(--dim);font-size:.85rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:6px 0 6px 14px;border-top:1px solid var(--line);white-space:nowrap}
th{color:var(--dim);font-weight:500;border-top:0}tr:not(:first-child) th{padding-top:16px}
th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;min-width:110px}
td.share{width:26%;min-width:90px}
td.share svg{display:block}
tr.total td{font-weight:600}
.in{fill:var(--u1)}.read{fill:var(--u2)}.write{fill:var(--u3)}.out{fill:var(--u4)}
.ok{color:var(--ok)}.wrong{color:var(--failed)}
footer{margin-top:40px;color:var(--dim);font-size:.82rem}
@media (max-width:600px){main{padding:20px 14px 40px}h1{font-size:1.4rem}.turn{grid-template-columns:1fr;padding:12px 14px}
.when{display:flex;gap:8px;align-items:baseline}.when small{display:inline}.body{margin-top:4px}.card{padding:12px 14px}.hour.odd{display:none}.tiles{grid-template-columns:repeat(2,1fr)}
.wide{display:none}th,td{padding-left:10px}}
@media print{:root{--bg:#fff;--card:#fff;--ink:#000;--dim:#444;--line:#bbb;--soft:#eee;--ok:#1f6b3c;--aborted:#8a5800;--failed:#a02a1c;--open:#1d4f9f;--accent:#000;--u1:#7fa6dc;--u2:#c9d7ea;--u3:#9fc7a8;--u4:#2f5fa8}
body{font-size:10.5pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}main{max-width:none;padding:0}
.turn,.card,.tiles,.list li{break-inside:avoid}h2{break-after:avoid}}
`;
