import type { ValueLink } from "wire/link-template";
import { newWindow } from "../links/ui-config.ts";

/**
 * Links to other sites. `noopener noreferrer`: the other site neither learns this address nor can script this
 * page.
 */
export function ValueLinks({ links }: { links: readonly ValueLink[] }) {
  return links.map(({ url, text }) => (
    <a key={`${url} ${text}`} className="value-link" href={url} target={newWindow} rel="noopener noreferrer">
      {text}
    </a>
  ));
}
