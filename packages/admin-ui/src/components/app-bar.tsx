import { Link } from "@tanstack/react-router";
import { TopBar } from "ui-kit/components/top-bar.tsx";
import { pages } from "../page-list.ts";

/**
 * The bar of the console: home and a link to each page. The link of the current page is marked.
 * @param onHelp called by the button of the keys
 */
export function AppBar({ onHelp }: { onHelp: () => void }) {
  const home = (
    <Link to="/" className="top-bar-home">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <g fill="var(--accent)">
          <rect x="0" y="1.5" width="16" height="5.5" rx="1.5" />
          <rect x="0" y="9" width="16" height="5.5" rx="1.5" opacity="0.7" />
        </g>
        <g fill="var(--on-accent)">
          <circle cx="3" cy="4.25" r="1" />
          <circle cx="3" cy="11.75" r="1" />
        </g>
      </svg>
      Server
    </Link>
  );
  return (
    <TopBar
      home={home}
      pages={pages.map(({ path, name }) => (
        <Link key={path} to={path} activeOptions={{ exact: path === "/", includeSearch: false }}>
          {name}
        </Link>
      ))}
      onHelp={onHelp}
    />
  );
}
