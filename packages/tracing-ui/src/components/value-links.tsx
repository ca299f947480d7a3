import type { ValueLink } from "../links/link-patterns.ts";

/** Links out of the app. Another site does not learn where they were followed, and cannot reach this page. */
export function ValueLinks({ links }: { links: readonly ValueLink[] }) {
  return links.map(({ url, text }) => (
    <a key={`${url} ${text}`} className="value-link" href={url} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  ));
}
