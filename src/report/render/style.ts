/** The pages' style sheet: light and dark by the reader's setting, readable from a phone to paper, no font to load. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fcfbf9;--ink:#1d1d1b;--dim:#6b6a64;--line:#e4e2dc;--soft:#f3f1ec;--you:#eef3fc;
--ok:#2c7a4b;--aborted:#96650b;--failed:#b3382a;--open:#96650b;--accent:#2f5fa8;--bar:#6d8fc4;
--del:#f7e3df;--ins:#e0ebe2;--u1:#7fa6dc;--u2:#c9d7ea;--u3:#9fc7a8;--u4:#2f5fa8}
@media (prefers-color-scheme:dark){:root{--bg:#161615;--ink:#e9e8e3;--dim:#a09e95;--line:#34332f;--soft:#22211f;--you:#1d2531;
--ok:#5cb880;--aborted:#dba13f;--failed:#e5796b;--open:#dba13f;--accent:#8ab4f2;--bar:#5b7fb5;
--del:#432521;--ins:#20352a;--u1:#5b86c2;--u2:#34465f;--u3:#4d8060;--u4:#8ab4f2}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--bg);color:var(--ink);font:.94rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:1160px;margin:0 auto;padding:32px 28px 56px}
h1{font-size:1.6rem;line-height:1.2;margin:0}
h2{font-size:.95rem;margin:30px 0 0;padding-bottom:7px;border-bottom:1px solid var(--line)}
h2 small{font-weight:400;color:var(--dim);font-size:.82rem;margin-left:8px}
p{margin:0}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
code,pre{font:.88em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{margin:6px 0;padding:8px 10px;background:var(--soft);border-radius:6px;white-space:pre-wrap}
.sub,.facts{color:var(--dim);font-size:.87rem}
.partial{color:var(--aborted)}
.numbers{display:flex;flex-wrap:wrap;gap:14px 34px;margin:20px 0 0}
.numbers div{max-width:190px}
.numbers dd{margin:0;font-size:1.35rem;font-weight:600;line-height:1.25;font-variant-numeric:tabular-nums}
.numbers dt{color:var(--dim);font-size:.84rem}
.numbers small{display:block;font-size:.78rem}
.numbers .waits dd{color:var(--aborted)}
nav{display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:22px;padding:9px 0;border-top:1px solid var(--line);border-bottom:1px solid var(--line);font-size:.89rem}
nav small{color:var(--dim)}
.timeline{margin-top:22px}
.lane{display:grid;grid-template-columns:130px 1fr;gap:0 12px;align-items:center}
.lane span{font-size:.87rem;color:var(--dim);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.lane svg{display:block;width:100%;overflow:visible}
svg text{fill:var(--dim);font-size:11.5px;font-family:inherit}
.tick{stroke:var(--line)}
line.fold{stroke:var(--dim);stroke-dasharray:1.5 3}
.legend i.fold{width:0;border-radius:0;background:none;border-left:1.5px dotted var(--dim)}
rect.completed,rect.share{fill:var(--bar)}
rect.unproven,rect.failed{fill:var(--failed)}
rect.aborted,rect.open{fill:var(--aborted)}
.lane rect{rx:2px}
.lane a:hover rect{stroke:var(--ink);stroke-width:1.5}
.mark{font-weight:700}
.mark.completed{color:var(--ok)}
.mark.unproven,.mark.failed{color:var(--failed)}
.mark.aborted,.mark.open{color:var(--aborted)}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;color:var(--dim);font-size:.8rem;margin-top:6px}
.legend i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px;background:currentColor}
.legend i.completed{color:var(--bar)}
.legend .in{color:var(--u1)}.legend .read{color:var(--u2)}.legend .write{color:var(--u3)}.legend .out{color:var(--u4)}
.days>div{display:grid;grid-template-columns:1fr 1fr;gap:0 36px}
.days .facts{margin-top:20px}
.row{display:grid;grid-template-columns:106px minmax(60px,1fr) 232px;gap:0 12px;align-items:center;padding:4px 0;font-size:.87rem}
.row svg{display:block;width:100%}
.row span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.row span:last-child{color:var(--dim);font-size:.8rem;font-variant-numeric:tabular-nums}
.filters{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin-top:22px;font-size:.87rem}
.filters select,.filters button{font:inherit;color:var(--ink);background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:3px 8px;max-width:220px}
.filters button{cursor:pointer}
.filters output{color:var(--dim)}
.columns{display:grid;grid-template-columns:minmax(0,1fr) 290px;gap:0 40px;align-items:start}
.work{grid-column:1;grid-row:1}
aside{grid-column:2;grid-row:1;font-size:.92rem}
.item{border-bottom:1px solid var(--line);scroll-margin-top:10px}
.item>summary{display:grid;grid-template-columns:14px auto 22px minmax(0,1fr) auto;gap:0 6px;align-items:baseline;padding:10px 0;cursor:pointer;list-style:none}
.item>summary::-webkit-details-marker{display:none}
.item>summary::before{content:"▸";color:var(--dim);font-size:.8rem}
.item[open]>summary::before{content:"▾"}
.item>summary:hover .result{text-decoration:underline;text-decoration-color:var(--line);text-underline-offset:3px}
.clock.day{min-width:6.8em}
.clock{color:var(--dim);font-variant-numeric:tabular-nums;font-size:.92rem;white-space:nowrap}
.result{display:block}
.asked{display:block;color:var(--dim);font-size:.9rem}
.sums{color:var(--dim);font-size:.84rem;text-align:right;max-width:210px;padding-left:14px}
.item[open] .result{font-weight:600}
.turn{margin:0 0 18px 28px;max-width:760px;scroll-margin-top:12px}
.turn:target>.you,.item:target{box-shadow:0 0 0 2px var(--accent);border-radius:8px}
.you{background:var(--you);border-radius:8px;padding:9px 13px}
.you .facts{margin-top:3px;font-size:.8rem}
.words{margin:0;white-space:pre-line}
.kind{display:inline-block;background:var(--soft);color:var(--dim);border-radius:4px;padding:0 6px;font-size:.78rem;margin-right:6px}
.cite{white-space:nowrap;font-variant-numeric:tabular-nums}
.cite small{font-size:.82em;color:var(--dim)}
.notes{list-style:none;margin:9px 0 0 13px;padding:0 0 0 11px;border-left:2px solid var(--line);font-size:.86rem;color:var(--dim)}
.notes>li{display:grid;grid-template-columns:18px minmax(0,1fr);padding:1px 0}
.notes b{font-weight:600}
.notes .bad>b{color:var(--failed)}
.notes .ask>span,.notes .todo>span{color:var(--ink)}
.todos{list-style:none;margin:3px 0;padding:0}
.todos li::before{content:"☐ ";color:var(--dim)}
.todos .done{color:var(--dim)}
.todos .done::before{content:"☑ ";color:var(--ok)}
.todos .begun::before{content:"◧ ";color:var(--aborted)}
.diff{margin:3px 0;padding:0;overflow:hidden}
.diff del,.diff ins{display:block;text-decoration:none;padding:0 9px;color:var(--ink)}
.diff span,.diff b,.diff i{display:block;padding:0 9px;color:var(--dim)}
.diff b{color:var(--ink);padding-top:4px}
.edits{margin:6px 0 0 13px;font-size:.86rem}
.edits>summary{color:var(--dim);cursor:pointer}
.diff del{background:var(--del)}
.diff ins{background:var(--ins)}
.answer{margin:9px 0 4px 13px}
.answer p,.answer ul,.answer ol{margin:0 0 7px}
.answer ul,.answer ol{padding-left:22px}
.turn>.facts{margin-left:13px;font-size:.82rem}
.list{list-style:none;margin:0;padding:0}
.list li{padding:9px 0;border-bottom:1px solid var(--line)}
.list .from{display:block;color:var(--dim);font-size:.82rem}
.more{margin-top:22px}
.more>summary{cursor:pointer;font-size:.95rem;font-weight:600}
.more small{font-weight:400;color:var(--dim)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.86rem;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:6px 0 6px 14px;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--dim);font-weight:500}tr:not(:first-child) th{padding-top:16px}
th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;min-width:110px}
td.share{width:26%;min-width:90px}
td.share svg{display:block}
tr.total td{font-weight:600}
.in{fill:var(--u1)}.read{fill:var(--u2)}.write{fill:var(--u3)}.out{fill:var(--u4)}
.ok{color:var(--ok)}.wrong{color:var(--failed)}
footer{margin-top:40px;color:var(--dim);font-size:.82rem}
@media (max-width:900px){main{padding:22px 16px 40px}.columns,.days>div{display:block}.odd{display:none}}
@media (max-width:600px){h1{font-size:1.35rem}.numbers{gap:12px 22px}.numbers div{max-width:150px}.lane{grid-template-columns:86px 1fr;gap:0 8px}
.item>summary{grid-template-columns:12px auto 20px minmax(0,1fr)}.sums{grid-column:4;text-align:left;padding:2px 0 0;max-width:none}.turn{margin-left:0}
.row{grid-template-columns:80px 1fr}.row span:last-child{grid-column:1/3}.wide{display:none}th,td{padding-left:10px}}
@media print{:root{--bg:#fff;--ink:#000;--dim:#444;--line:#ccc;--soft:#f2f2f2;--you:#eef3fc;--ok:#1f6b3c;--aborted:#8a5800;--failed:#a02a1c;--open:#8a5800;--accent:#000;--bar:#6d8fc4;--del:#f7e3df;--ins:#e0ebe2;--u1:#7fa6dc;--u2:#c9d7ea;--u3:#9fc7a8;--u4:#2f5fa8}
@page{margin:14mm}
html{font-size:12px}body{font-size:1rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}main{max-width:none;padding:0}
nav,.filters,.more:not([open]){display:none}.columns{display:block}.days>div{display:grid}
.item>summary{break-inside:avoid;padding:5px 0}.list li{padding:5px 0}h2{margin-top:18px}th,td{padding:3px 0 3px 12px}.list li,.lane,.row,tr,.you{break-inside:avoid}h2{break-after:avoid}p,li{orphans:2;widows:2}}
`;
