import type { ReactNode } from "react";

const shapes = {
  caret: <path d="m6 4 4 4-4 4" />,
  check: <path d="m3.5 8.5 3 3 6-7" />,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  copy: <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z" />,
  error: (
    <>
      <path d="M8 4.5v4.25m0 2.4v.1" />
      <circle cx="8" cy="8" r="6.25" />
    </>
  ),
  warning: <path d="M8 2.25 14.5 13.5h-13zM8 6.5v3.25m0 1.7v.1" />,
  search: <path d="M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Zm3.3 7.8 3.2 3.2" />,
  system: <path d="M2 3h12v8H2zm4 10.5h4M8 11v2.5" />,
  light: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.5v1.25m0 10.5v1.25M1.5 8h1.25m10.5 0h1.25M3.4 3.4l.9.9m7.4 7.4.9.9m0-9.2-.9.9m-7.4 7.4-.9.9" />
    </>
  ),
  dark: <path d="M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z" />,
  foldAll: <path d="m5 3 3 3 3-3M5 13l3-3 3 3" />,
  unfoldAll: <path d="m5 6 3-3 3 3m-6 4 3 3 3-3" />,
  unzoom: <path d="M2.5 6V2.5H6m4 0h3.5V6m0 4v3.5H10m-4 0H2.5V10" />,
} satisfies Record<string, ReactNode>;

/** Name of an icon. */
export type IconName = keyof typeof shapes;

/** A 16 px line icon in the text's colour. It says nothing to screen readers: its button or text does. */
export function Icon({ name, className = "" }: { name: IconName; className?: string }) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
