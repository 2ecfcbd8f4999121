// Style sheet and script of the page.
#include "page.hpp"

namespace shardfft::report {

// Colours of text keep a contrast of 4.5 with what is behind them, marks and bars one of 3, in both schemes.
const char* const style_sheet = R"(
:root{--page:#f4f6f9;--card:#fff;--ink:#18202c;--muted:#566173;--line:#d5dbe4;--grid:#e6eaf0;--ours:#0b62b8;
--ours-bg:#eaf3fc;--peer:#8791a1;
--good:#0a6b4d;--bad:#a8321a;--warn:#805400;--on:#fff;--limit:#b0321f;
--c0:#0b62b8;--c1:#c24e00;--c2:#00785a;--c3:#a8447f;--c4:#8a6000;--c5:#5b6472;--c6:#6d45b8;--c7:#86391c}
@media(prefers-color-scheme:dark){:root{--page:#0f141b;--card:#181f29;--ink:#e8edf4;--muted:#a3afbf;--line:#333e4d;
--grid:#273140;--ours:#63b3ff;
--ours-bg:#17304b;--peer:#76849a;--good:#4cd3a3;--bad:#ff9a85;--warn:#f2c14e;--on:#0f141b;--limit:#ff8f7a;
--c0:#63b3ff;--c1:#ff9b54;--c2:#35cfa0;--c3:#f09fcb;--c4:#e8bd3f;--c5:#b4becb;--c6:#b9a2ff;--c7:#dda585}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-behavior:smooth}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
header,main{max-width:1280px;margin:0 auto;padding:0 16px}
header{padding-top:40px}
main{padding-bottom:64px}
.brand{margin:0;color:var(--ours);font-weight:700;letter-spacing:.04em}
h1{margin:0 0 4px;font-size:clamp(1.6rem,5vw,2.5rem);line-height:1.15;letter-spacing:-.02em}
h2{margin:56px 0 16px;font-size:1.5rem;letter-spacing:-.01em}
h3{margin:0 0 12px;font-size:1.13rem;overflow-wrap:anywhere}
h4{margin:0 0 6px;font-size:.8rem;text-transform:uppercase;letter-spacing:.06em;color:var(--muted)}
p{margin:0 0 12px;overflow-wrap:anywhere}
a{color:var(--ours)}
.muted,.none{color:var(--muted);font-weight:400}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px;margin:0 0 16px;min-width:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,145px),1fr));gap:12px;align-content:start;
margin:0 0 16px}
.over,.top{margin:28px 0 0}@media(min-width:1000px){.top{display:grid;grid-template-columns:230px 1fr;gap:16px}
.top .tiles{grid-template-columns:1fr}}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px}
.tile strong{display:block;font-size:1.9rem;line-height:1.2;letter-spacing:-.02em;color:var(--ours);
font-variant-numeric:tabular-nums}
.tile span{color:var(--muted);font-size:.9rem;line-height:1.35;display:block}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr));gap:16px;align-items:start;
margin:0 0 16px}
figure.card{margin:0}
figcaption{font-weight:600;margin:0 0 10px;font-size:.95rem;overflow-wrap:anywhere}
svg{display:block;width:100%;max-width:520px;height:auto;overflow:visible;
font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums}
svg text{fill:var(--ink)}svg .halo{paint-order:stroke;stroke:var(--card);stroke-width:5px;stroke-linejoin:round}
svg .muted,svg .tick,svg .small{fill:var(--muted)}svg .small{font-size:10px}svg .strong{font-weight:700}
svg .on{fill:var(--on);font-size:11px;font-weight:700}
.map{padding:14px 16px}.map svg{max-width:none}svg .ratio{font-size:10px}.under{fill:var(--card)}
.red1,.red2,.red3,.red4{fill:var(--bad)}.green1,.green2,.green3,.green4{fill:var(--good)}
.red1,.green1{fill-opacity:.12}.red2,.green2{fill-opacity:.22}.red3,.green3{fill-opacity:.33}
.red4,.green4{fill-opacity:.45}.even{fill:var(--line);fill-opacity:.6}
.plan{margin:6px 0 0;min-width:30rem}summary{cursor:pointer;white-space:normal;min-width:18rem}
.grid{stroke:var(--grid)}.one{stroke:var(--muted)}.limit{stroke:var(--limit);stroke-width:1.5;stroke-dasharray:4 3}
.whisker{stroke:var(--ink);stroke-width:1.3;fill:none}
.ours{fill:var(--ours)}.peer{fill:var(--peer)}rect.second{opacity:.62}
.part{stroke:var(--card);stroke-width:1}.mark{stroke:var(--card);stroke-width:1}
.mark.hollow{fill:var(--card);stroke-width:2}
.diamond{fill:var(--card);stroke:var(--ink);stroke-width:1.6}
.stem{stroke-width:3;fill:none}.stem.faster{stroke:var(--ours)}.stem.slower{stroke:var(--bad)}
.stem.equal{stroke:var(--muted)}
.dot{stroke-width:2}.dot.faster{fill:var(--ours);stroke:var(--ours)}.dot.slower{fill:var(--bad);stroke:var(--bad)}
.dot.equal{fill:var(--card);stroke:var(--muted)}
.curve{fill:none;stroke-width:2}
.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}.f4{fill:var(--c4)}.f5{fill:var(--c5)}
.f6{fill:var(--c6)}.f7{fill:var(--c7)}
.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}
.s5{stroke:var(--c5)}.s6{stroke:var(--c6)}.s7{stroke:var(--c7)}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:12px;margin:0 0 16px}
.scroll:focus-visible,pre:focus-visible,th button:focus-visible,a:focus-visible{outline:3px solid var(--ours);
outline-offset:1px}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.scroll{position:relative}
th,td{padding:8px 12px;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid);white-space:nowrap}
tbody tr:last-child>*{border-bottom:0}
thead th{color:var(--muted);font-weight:600;border-bottom:1px solid var(--line);font-size:.82rem;vertical-align:bottom}
.n{text-align:right}
tbody th{font-weight:600;position:sticky;left:0;background:var(--card);max-width:11rem;white-space:normal;
overflow-wrap:anywhere;min-width:8.5rem}
td small,th small{display:block;color:var(--muted);font-weight:400;font-size:.78rem}
.free{display:block;white-space:normal;min-width:22rem;max-width:30rem;overflow-wrap:anywhere;font-size:.82rem;
color:var(--muted)}
tr.ours>*{background:var(--ours-bg)}tr.ours th{color:var(--ours)}
.why{display:block;white-space:normal;max-width:min(58vw,46rem);overflow-wrap:anywhere}
.faster{color:var(--good);font-weight:600}.slower{color:var(--bad);font-weight:600}
rect.faster,rect.slower{font-weight:400}
.badge{display:inline-block;border:1px solid currentColor;border-radius:6px;padding:0 7px;font-size:.8rem;
font-weight:600;color:var(--bad)}
.badge.unsupported,.badge.not{color:var(--muted)}.badge.timeout{color:var(--warn)}
th button{all:unset;cursor:pointer;font:inherit;color:inherit}th button::after{content:" ↕";opacity:.55}
th[aria-sort=ascending] button::after{content:" ↑";opacity:1}
th[aria-sort=descending] button::after{content:" ↓";opacity:1}
.note{margin:-6px 0 16px;font-size:.85rem}
.case{margin:0 0 40px;scroll-margin-top:16px}
.study{margin-left:8px;font-size:.8rem;font-weight:600;color:var(--muted);border:1px solid var(--line);
border-radius:6px;padding:1px 7px}
nav{margin:0 0 32px}nav ol{margin:0;padding-left:1.6rem;columns:2 340px;column-gap:32px;font-size:.92rem}
nav li{break-inside:avoid;padding:2px 0}
pre{margin:0 0 12px;padding:10px 12px;background:var(--page);border-radius:8px;font-size:.82rem;white-space:pre-wrap;
overflow-wrap:anywhere}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));gap:8px 32px}
dl{margin:0;font-size:.9rem}dl div{display:grid;grid-template-columns:minmax(7rem,9rem) 1fr;gap:12px;padding:3px 0;
border-bottom:1px solid var(--grid)}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
#reading ul{max-width:52rem;padding-left:1.2rem;margin:0}#reading li{margin:0 0 8px}
@media(max-width:600px){header{padding-top:24px}h2{margin-top:40px}.card{padding:12px}th,td{padding:7px 9px}
tbody th{max-width:8.6rem;min-width:7.6rem}}
@media print{body{background:#fff}.card,.tile,.scroll,.case figure{break-inside:avoid}}
)";

// Heads become buttons that sort by their column; rows without a number stay at the end.
const char* const script = R"(
for(const table of document.querySelectorAll('main table')){
  const heads=[...table.tHead.rows[0].cells],body=table.tBodies[0];
  const key=(row,i)=>{const c=row.cells[i];if(!c||row.querySelector('[colspan]')&&i>1)return null;
    if('v' in c.dataset)return +c.dataset.v;return heads[i].classList.contains('n')?null:c.textContent};
  heads.forEach((head,i)=>{
    const button=document.createElement('button');button.type='button';button.textContent=head.textContent;
    head.replaceChildren(button);
    button.onclick=()=>{
      const up=head.getAttribute('aria-sort')!=='ascending';
      heads.forEach(h=>h.removeAttribute('aria-sort'));head.setAttribute('aria-sort',up?'ascending':'descending');
      const order=(a,b)=>{const x=key(a,i),y=key(b,i);if(x===null||y===null)return (x===null)-(y===null);
        return (x<y?-1:x>y?1:0)*(up?1:-1)};
      body.append(...[...body.rows].sort(order));
    };
  });
}
)";

}  // namespace shardfft::report
