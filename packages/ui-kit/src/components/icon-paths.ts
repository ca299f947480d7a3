/** Icons as SVG path data in a square of 16, drawn with lines of width 1.5, in elements and on a canvas. */
export const iconPaths = {
  caret: "m6 4 4 4-4 4",
  check: "m3.5 8.5 3 3 6-7",
  close: "m4 4 8 8m0-8-8 8",
  copy: "M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z",
  error: "M8 4.5v4.25m0 2.4v.1M14.25 8a6.25 6.25 0 1 1-12.5 0 6.25 6.25 0 0 1 12.5 0Z",
  warning: "M8 2.25 14.5 13.5h-13zM8 6.5v3.25m0 1.7v.1",
  unknown: "M3.5 8h9",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Zm3.3 7.8 3.2 3.2",
  system: "M2 3h12v8H2zm4 10.5h4M8 11v2.5",
  light:
    "M10.75 8a2.75 2.75 0 1 1-5.5 0 2.75 2.75 0 0 1 5.5 0ZM8 1.5v1.25m0 10.5v1.25M1.5 8h1.25m10.5 0h1.25M3.4 3.4l.9.9m7.4 7.4.9.9m0-9.2-.9.9m-7.4 7.4-.9.9",
  dark: "M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z",
  foldAll: "m5 3 3 3 3-3M5 13l3-3 3 3",
  unfoldAll: "m5 6 3-3 3 3m-6 4 3 3 3-3",
  note: "M3 3h10v7.5H8L5 13.25V10.5H3zM5.5 5.75h5m-5 2h3",
  next: "m4 6 4 4 4-4",
  previous: "m4 10 4-4 4 4",
  lines: "M2.5 4h11m-8 4h8m-11 4h11",
  more: "M3 8h.1M8 8h.1M13 8h.1",
  unzoom: "M2.5 6V2.5H6m4 0h3.5V6m0 4v3.5H10m-4 0H2.5V10",
} as const;

export type IconName = keyof typeof iconPaths;
