import "./own-menu.css";
import { safeAddress } from "../links/safe-address.ts";
import { type MenuEntry, uiConfig } from "../links/ui-config.ts";

/**
 * The entries that the operator has put into the bar: links, and lists of links that open. Nothing without
 * such entries.
 */
export function OwnMenu() {
  return uiConfig.menu.map((entry) =>
    "items" in entry ? (
      <details key={entry.label} className="own-menu">
        <summary>{entry.label}</summary>
        <ul>
          {entry.items.map((item) => (
            <li key={`${item.label} ${item.url}`}>
              <MenuLink {...item} />
            </li>
          ))}
        </ul>
      </details>
    ) : (
      <MenuLink key={`${entry.label} ${entry.url}`} {...entry} />
    ),
  );
}

/** A link to a page of another site, or of this one by its path. An address that is not safe is left out. */
function MenuLink({ label, url, anchorTarget }: Exclude<MenuEntry, { items: unknown }>) {
  const address = url.startsWith("/") && !url.startsWith("//") ? url : safeAddress(url);
  if (address === undefined) {
    return null;
  }
  return (
    <a href={address} target={anchorTarget ?? "_blank"} rel="noopener noreferrer">
      {label}
    </a>
  );
}
