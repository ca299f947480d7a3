import "./cut-name.css";
import type { CSSProperties } from "react";
import { splitName } from "../format/split-name.ts";

/**
 * A name that is cut in its middle when space is short: the names of one team begin alike and end
 * differently. The element holds the whole name as text, so that search, copying and screen readers get the whole
 * name. The style sheet draws the cut name from `data-head` and `data-tail`.
 * @param strong true: the name is bold, like names of services
 */
export function CutName({ children: name, strong = false }: { children: string; strong?: boolean }) {
  const { head, tail } = splitName(name);
  const Tag = strong ? "b" : "span";
  return (
    <Tag
      className="cut-name"
      style={{ "--letters": name.length } as CSSProperties}
      title={name}
      data-head={head}
      data-tail={tail}
    >
      <bdi>{name}</bdi>
    </Tag>
  );
}

/** A service and its operation side by side, each cut in its middle. */
export function CutNames({ service, operation }: { service: string; operation: string }) {
  return (
    <span className="cut-names">
      <CutName strong>{service}</CutName> <CutName>{operation}</CutName>
    </span>
  );
}
