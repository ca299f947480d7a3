import "./top-bar.css";
import type { ReactNode } from "react";
import { HelpButton, ThemeSwitch, ZoneSwitch } from "./page-tools.tsx";

/**
 * The bar at the top of every page: home, pages, the app's tools, time zone, theme, keys.
 * @param home the link with class `top-bar-home`
 * @param pages links; the current one has `aria-current="page"`
 * @param hasThemes false for a bar without the choice of a theme; true by default
 */
export function TopBar(props: {
  home: ReactNode;
  pages: ReactNode;
  tools?: ReactNode;
  hasThemes?: boolean;
  onHelp: () => void;
}) {
  return (
    <header className="top-bar">
      {props.home}
      <nav className="top-bar-pages" aria-label="Pages">
        {props.pages}
      </nav>
      <div className="top-bar-tools">
        {props.tools}
        <ZoneSwitch />
        {props.hasThemes !== false && <ThemeSwitch />}
        <HelpButton onHelp={props.onHelp} />
      </div>
    </header>
  );
}
