import "./service-mark.css";
import type { CSSProperties } from "react";
import { patternOf } from "./service-patterns.ts";

/**
 * Style of an element of class `service`: its hue, and the pattern of this hue.
 * @param hue degrees, from service-hues.ts; undefined counts as 0
 */
export function hueStyle(hue: number | undefined): CSSProperties {
  return { "--hue": hue ?? 0, "--pattern": patternOf(hue ?? 0) } as CSSProperties;
}

/** The square in a service's colour, shown before the service's name. */
export function ServiceMark({ hue }: { hue: number | undefined }) {
  return <span className="service service-mark" style={hueStyle(hue)} aria-hidden="true" />;
}
