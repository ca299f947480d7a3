import "./own-menu.css";
import { safeAddress } from "wire/safe-address";
import { type MenuEntry, newWindow, uiConfig } from "../links/ui-config.ts";

/**
 * The entries that the operator has configured for the bar: links, and menus of links. Shows nothing without
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

/** A link to another site, or to a path of this site. An unsafe address gives no link. */
function MenuLink({ label, url, anchorTarget }: Exclude<MenuEntry, { items: unknown }>) {
  const address = url.startsWith("/") && !url.startsWith("//") ? url : safeAddress(url);
  if (address === undefined) {
    return null;
  }
  return (
    <a href={address} target={anchorTarget ?? newWindow ?? "_top"} rel="noopener noreferrer">
      {label}
    </a>
  );
}
