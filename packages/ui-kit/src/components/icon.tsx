import { type IconName, iconPaths } from "./icon-paths.ts";

/** A 16 px line icon in the text's colour. The icon is hidden from screen readers, which read its button or text. */
export function Icon({ name, className = "" }: { name: IconName; className?: string }) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={iconPaths[name]} />
    </svg>
  );
}
