import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { Icon } from "ui-kit/components/icon.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { ValueLink } from "wire/link-template";
import { safeAddress } from "wire/safe-address";
import { PrettyText, usePretty } from "../../components/pretty-text.tsx";
import { ValueLinks } from "../../components/value-links.tsx";
import { invisibleLetters } from "../../format/invisible-letters.ts";
import { newWindow } from "../../links/ui-config.ts";
import { tagText } from "../../searches/tag-text.ts";
import type { ApiAttribute } from "../../trace/trace-schema.ts";
import { isSavedPage } from "./saved-trace.ts";

/** Maximum number of letters shown of a value; the copy button copies all. Attribute values may be megabytes. */
const mostLetters = 4_000;

/** Attributes whose key or value contains the text; upper and lower case are equal. */
export function matchingAttributes(
  attributes: readonly ApiAttribute[],
  text: string,
): readonly ApiAttribute[] {
  const word = text.trim().toLowerCase();
  if (word === "") {
    return attributes;
  }
  return attributes.filter(({ key, value }) => `${key}=${value}`.toLowerCase().includes(word));
}

/**
 * Keys, values and types, one attribute per row. Values can be formatted, copied and searched for. Without attributes
 * the table is replaced by "None".
 * @param service limits each row's link to traces with this attribute; undefined: rows have no such link
 * @param linksOf returns the configured links of an attribute
 */
export function AttributeTable(props: {
  attributes: readonly ApiAttribute[];
  service?: string;
  linksOf?: (attribute: ApiAttribute) => readonly ValueLink[];
}) {
  const { attributes, service, linksOf } = props;
  if (attributes.length === 0) {
    return <p className="attributes-none">None</p>;
  }
  return (
    <dl className="attributes">
      {attributes.map((attribute, index) => (
        <AttributeRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a sender may repeat a key
          key={`${index} ${attribute.key}`}
          {...{ attribute, service }}
          links={linksOf?.(attribute) ?? []}
        />
      ))}
    </dl>
  );
}

/** One attribute: its key, its value as sent or formatted, its type, and the buttons. */
function AttributeRow(props: {
  attribute: ApiAttribute;
  service: string | undefined;
  links: readonly ValueLink[];
}) {
  const { attribute, service, links } = props;
  const text = String(attribute.value);
  const pretty = usePretty(attribute.key, text);
  // An address starts unformatted, as a link; its parts are shown on demand.
  const [isLaidOut, setLaidOut] = useState(pretty?.kind !== "url");
  return (
    <div>
      <dt className="mono">{attribute.key}</dt>
      <dd>
        {pretty !== undefined && isLaidOut ? (
          <span className="attribute-value laid-out">
            <PrettyText value={pretty} />
            <InvisibleLetters text={text} />
          </span>
        ) : (
          <AttributeValue text={text} />
        )}
        <ValueLinks links={links} />
        <span className="attribute-type">{attribute.type}</span>
        <span className="attribute-actions">
          {pretty !== undefined && (
            <button
              type="button"
              className="icon-button"
              aria-pressed={isLaidOut}
              aria-label={`Lay out the value of ${attribute.key}`}
              title={isLaidOut ? "Show it as it was sent" : "Lay it out"}
              onClick={() => setLaidOut(!isLaidOut)}
            >
              <Icon name="lines" />
            </button>
          )}
          <CopyButton text={text} label={`Copy the value of ${attribute.key}`} />
          {service !== undefined && !isSavedPage() && (
            <Link
              to="/search"
              search={{ service, tags: tagText({ [attribute.key]: text }) }}
              className="icon-button"
              title={`Find traces of ${service} with this value`}
              aria-label={`Find traces of ${service} with this ${attribute.key}`}
            >
              <Icon name="search" />
            </Link>
          )}
        </span>
      </dd>
    </div>
  );
}

/** A text; a web address becomes a link. An empty text gets a label, a long text is cut. */
function ShownText({ text }: { text: string }) {
  if (text === "") {
    return <span className="unit">(empty)</span>;
  }
  const url = safeAddress(text);
  if (url === undefined) {
    return text.slice(0, mostLetters);
  }
  return (
    <a href={url} target={newWindow} rel="noopener noreferrer">
      {text}
    </a>
  );
}

/** An unformatted value. It is always rendered as text, so no value can inject markup. */
function AttributeValue({ text }: { text: string }) {
  return (
    <span className="attribute-value mono" dir="auto">
      <ShownText text={text} />
      {text.length > mostLetters && (
        <span className="unit">
          {" "}
          … and {formatCount(text.length - mostLetters)} more letters: copy to read all
        </span>
      )}
      <InvisibleLetters text={text} />
    </span>
  );
}

/** A remark that names the invisible letters of a value; hidden without such letters. */
function InvisibleLetters({ text }: { text: string }) {
  const invisible = invisibleLetters(text.slice(0, mostLetters));
  if (invisible === "") {
    return null;
  }
  return (
    <bdi className="attribute-invisible" dir="ltr">
      {" "}
      holds letters that cannot be seen: {invisible}
    </bdi>
  );
}
