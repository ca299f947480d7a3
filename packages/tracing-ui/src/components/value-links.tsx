import type { ValueLink } from "../links/link-patterns.ts";

/**
 * Links out of the app. `noopener noreferrer`: the other site neither learns this address nor reaches this
 * page.
 */
export function ValueLinks({ links }: { links: readonly ValueLink[] }) {
  return links.map(({ url, text }) => (
    <a key={`${url} ${text}`} className="value-link" href={url} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  ));
}
