#pragma once

#include <string_view>

namespace dsk::drawing {

/// The colours of pages and drawings, for light and dark screens. The ten colours of series differ in lightness as well
/// as hue, for readers who are colour-blind.
inline constexpr std::string_view colour_style = R"(
:root { color-scheme: light dark; --ink: #1a1d21; --paper: #fff; --soft: #5b636d; --rule: #c6ccd4; --grid: #e6e9ed;
  --tint: #f4f6f8; --accent: #1f5f9e; --on-accent: #fff; --shadow: #0002; --dot: .5; --dim: none; --bar: #5a8abb; --lift: none;
  --c0: #1f5f9e; --c1: #cc5a1f; --c2: #1d7a5f; --c3: #8d4a9c; --c4: #a37a00;
  --c5: #3d9ccc; --c6: #7d1f3d; --c7: #666e78; --c8: #5f6f12; --c9: #d4669a; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --paper: #15181c; --soft: #9ba4af; --rule: #454d57;
  --grid: #282d34; --tint: #1d2126; --accent: #78b1ea; --on-accent: #0e1216; --shadow: #0009; --dot: .65; --dim: brightness(.88); --bar: #5a86b5; --lift: brightness(1.5);
  --c0: #78b1ea; --c1: #f0915c; --c2: #4fc19c; --c3: #c795d6; --c4: #dcb845;
  --c5: #a6dcf7; --c6: #e27593; --c7: #aab3bd; --c8: #b5c460; --c9: #f8bcd5; } }
)";

/// The style of a page, without what is drawn in it.
inline constexpr std::string_view page_style = R"(* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { font: 17px/1.55 "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, "Times New Roman", serif;
  color: var(--ink); background: var(--paper); max-width: 740px; margin: 0 auto; padding: 48px 20px 72px;
  overflow-wrap: break-word; counter-reset: figure; }
h1 { font-size: 29px; line-height: 1.22; font-weight: 600; margin: 0 0 14px; text-wrap: balance; }
h2 { font-size: 20px; line-height: 1.3; font-weight: 600; margin: 52px 0 10px; }
p { margin: 0 0 14px; max-width: 66ch; }
.answer { font-size: 21px; line-height: 1.42; margin: 0 0 26px; padding: 14px 0 15px; max-width: none;
  border-top: 1.5px solid var(--ink); border-bottom: 1px solid var(--rule); }
.answer span { display: inline-block; max-width: 100%; }
.scroll { overflow-x: auto; margin: 20px 0 24px; background:
  linear-gradient(90deg, var(--paper) 30%, #0000) 0 0 / 36px 100% no-repeat local,
  linear-gradient(270deg, var(--paper) 30%, #0000) 100% 0 / 36px 100% no-repeat local,
  linear-gradient(90deg, var(--shadow), #0000) 0 0 / 12px 100% no-repeat scroll,
  linear-gradient(270deg, var(--shadow), #0000) 100% 0 / 12px 100% no-repeat scroll; }
table { border-collapse: collapse; border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink);
  font-size: 13.5px; line-height: 1.4; }
th, td { padding: 5px 0 5px 12px; text-align: right; font-variant-numeric: tabular-nums lining-nums;
  white-space: nowrap; }
th { border-bottom: 1px solid var(--rule); font-weight: 600; vertical-align: bottom; white-space: normal; }
th:first-child, td:first-child { padding-left: 6px; } th:last-child, td:last-child { padding-right: 6px; }
th.words, td.words { text-align: left; } td.words:not(:first-child) { white-space: normal; min-width: 24ch; } td { vertical-align: baseline; }
td.words.long, .list td:last-child { white-space: normal; min-width: 24ch; }
.list td:not(:nth-child(2)), .list th:not(:nth-child(2)) { text-align: left; }
.best td { font-weight: 700; } .best td:first-child { box-shadow: inset 3px 0 var(--accent); padding-left: 10px; }
.settings { font: 13.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; display: grid;
  grid-template-columns: fit-content(40%) 1fr; gap: 3px 24px; margin: 16px 0; padding: 12px 16px;
  background: var(--tint); }
.settings dt { color: var(--soft); } .settings dd { margin: 0; }
.settings span { display: inline-block; max-width: 100%; }
.settings dt, .settings dd { overflow-wrap: anywhere; white-space: pre-wrap; min-width: 0; }
figure { margin: 26px 0 34px; font-family: system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
figure svg { display: block; } figure > svg, .pair svg { width: 100%; height: auto; }
figcaption { font: 15px/1.45 "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, "Times New Roman", serif;
  color: var(--soft); margin-top: 12px; max-width: 72ch; text-wrap: pretty; counter-increment: figure; }
figcaption::before { content: "Figure " counter(figure) ". "; font-weight: 600; color: var(--ink); }
.note { font-style: italic; }
.members { border-bottom: 1px solid var(--rule); font-size: 15px; } .members summary { padding: 6px 0; cursor: pointer; }
.members p, .hint { overflow-wrap: anywhere; font-size: 13.5px; } .hint { color: var(--soft); } .classes { font-size: 15px; max-width: none; } .classes a { display: inline-block; max-width: 100%; }
.members .members { margin-left: 18px; } :target { scroll-margin-top: 72px; }
tr:target { background: var(--tint); outline: 1px solid var(--accent); outline-offset: -1px; scroll-margin-top: 180px; }
a { color: var(--accent); }
a text { text-decoration: underline dotted; cursor: pointer; } .cells a text { text-decoration: none; }
.cells a:hover rect, .spots a:hover path { stroke: var(--ink); stroke-width: 1.5; vector-effect: non-scaling-stroke; } .spots path { fill: #0000; }
.empty { color: var(--soft); background: var(--tint); padding: 28px 16px; text-align: center; max-width: none;
  margin: 0; font-size: 14px; }
figure > .narrow { display: none; } .square { max-width: 420px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; }
.pair > div > p:first-child { font-size: 13px; line-height: 1.4; margin: 0 0 8px; font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 0 0 12px; padding: 0; font-size: 13px;
  line-height: 1.3; }
.legend li { display: flex; align-items: center; gap: 7px; min-width: 0; overflow-wrap: anywhere; }
.legend svg { flex: none; } .pair + .legend { margin: 12px 0 0; }
.ramp { display: flex; align-items: center; gap: 10px; font-size: 12px; margin: 12px 0 0; color: var(--soft);
  max-width: 340px; font-variant-numeric: tabular-nums; }
.ramp svg { flex: 1; height: 10px; min-width: 0; }
)";

/// The style of drawings.
inline constexpr std::string_view drawing_style =
    R"(text { font-size: 12px; fill: var(--ink); font-variant-numeric: tabular-nums; }
.tick, .name { fill: var(--soft); } .middle { text-anchor: middle; } .end { text-anchor: end; }
.small { font-size: 9px; }
.halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
.grid { stroke: var(--grid); fill: none; } .axis { stroke: var(--rule); fill: none; }
.reference { stroke: var(--soft); stroke-dasharray: 4 3; fill: none; } .zero { stroke: var(--soft); fill: none; }
.interval { stroke: var(--accent); stroke-width: 2; fill: none; } .mean { fill: var(--accent); }
.hollow { fill: var(--paper); stroke: var(--soft); stroke-width: 2; } .interval.base { stroke: var(--soft); }
.split { fill: var(--accent); fill-opacity: var(--dot); } .average { stroke: var(--ink); stroke-width: 2.5; fill: none; }
.bar { fill: var(--bar); } .across { stroke: var(--ink); stroke-dasharray: 4 3; fill: none; } .bar.missing { fill: var(--rule); }
.cell { fill: var(--accent); } .frame { stroke: var(--rule); fill: none; } .on { fill: var(--on-accent); }
.line { stroke: var(--c); stroke-width: 1.8; fill: none; stroke-linejoin: round; stroke-linecap: round; }
.error { stroke: var(--c); stroke-width: 1.2; fill: none; }
.d1 { stroke-dasharray: 7 4; } .d2 { stroke-dasharray: 1.5 4; } .d3 { stroke-dasharray: 8 4 1.5 4; }
.solid { fill: var(--c); stroke: var(--paper); stroke-width: .7; } .open { stroke: var(--c); stroke-width: 1.4; fill: none; }
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); } .c4 { --c: var(--c4); }
.c5 { --c: var(--c5); } .c6 { --c: var(--c6); } .c7 { --c: var(--c7); } .c8 { --c: var(--c8); } .c9 { --c: var(--c9); }
.unnamed { --c: var(--rule); } image { image-rendering: pixelated; filter: var(--dim); } .one image { filter: var(--lift); } .part { stroke: #fff; fill: none; }
)";

/// What a page changes for the width of a screen and in print.
inline constexpr std::string_view screen_style = R"(@media (min-width: 1000px) { .scroll { margin-right: -110px; } }
@media (max-width: 639px) {
  body { padding: 28px 20px 48px; } h1 { font-size: 25px; } h2 { margin-top: 40px; } .answer { font-size: 19px; }
  figure > .wide { display: none; } figure > .narrow { display: block; max-width: 460px; }
  .pair { grid-template-columns: 1fr; max-width: 420px; gap: 22px; }
  .settings { grid-template-columns: 1fr; gap: 0; } .settings dd { margin-bottom: 6px; }
}
@media (max-width: 359px) { body { padding-left: 12px; padding-right: 12px; } }
@media print { body { padding: 0; max-width: none; } .scroll { overflow: visible; background: none; margin-right: 0; } figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; } table { max-width: 100%; } th, td { white-space: normal; padding-left: 8px; }
  td.words, td.words.long, td.words:not(:first-child), .list td { min-width: 0; overflow-wrap: anywhere; } a { color: inherit; } }
)";

}  // namespace dsk::drawing
