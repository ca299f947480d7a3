import { Link } from "@tanstack/react-router";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { Icon } from "ui-kit/components/icon.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { ApiAttribute } from "../../api/trace-schema.ts";
import { ValueLinks } from "../../components/value-links.tsx";
import { invisibleLetters } from "../../format/invisible-letters.ts";
import type { ValueLink } from "../../links/link-patterns.ts";
import { safeAddress } from "../../links/safe-address.ts";
import { isSavedPage } from "../../offline/saved-trace.ts";
import { tagText } from "../search/tag-text.ts";

/** Letters of a value put into the page; the rest can be copied. Attribute values may be megabytes. */
const mostLetters = 4_000;

/** Attributes whose key or value holds the text, in any case. */
export function matchingAttributes(
  attributes: readonly ApiAttribute[],
  text: string,
): readonly ApiAttribute[] {
  const word = text.trim().toLowerCase();
  if (word === "") return attributes;
  return attributes.filter(({ key, value }) => `${key}=${value}`.toLowerCase().includes(word));
}

/**
 * Keys, values and types, one attribute a row.
 * @param service with it, each row offers a search for other traces of the service with this attribute
 * @param linksOf the links that the configuration makes of an attribute
 */
export function AttributeTable(props: {
  attributes: readonly ApiAttribute[];
  service?: string;
  linksOf?: (attribute: ApiAttribute) => readonly ValueLink[];
}) {
  const { attributes, service, linksOf } = props;
  if (attributes.length === 0) return <p className="attributes-none">None</p>;
  return (
    <dl className="attributes">
      {attributes.map((attribute, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sender may repeat a key
        <div key={`${index} ${attribute.key}`}>
          <dt className="mono">{attribute.key}</dt>
          <dd>
            <AttributeValue attribute={attribute} />
            {linksOf !== undefined && <ValueLinks links={linksOf(attribute)} />}
            <span className="attribute-type">{attribute.type}</span>
            <span className="attribute-actions">
              <CopyButton text={String(attribute.value)} label={`Copy the value of ${attribute.key}`} />
              {service !== undefined && !isSavedPage() && (
                <Link
                  to="/search"
                  search={{ service, tags: tagText({ [attribute.key]: String(attribute.value) }) }}
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
      ))}
    </dl>
  );
}

/** An address of the web is a link; any other text stays text. */
function ShownText({ text }: { text: string }) {
  if (text === "") return <span className="unit">(empty)</span>;
  const url = safeAddress(text);
  if (url === undefined) return text.slice(0, mostLetters);
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}

/** A value as it is, in a form that no content of it can break out of: text, never markup. */
function AttributeValue({ attribute }: { attribute: ApiAttribute }) {
  const text = String(attribute.value);
  const invisible = invisibleLetters(text.slice(0, mostLetters));
  return (
    <span className="attribute-value mono" dir="auto">
      <ShownText text={text} />
      {text.length > mostLetters && (
        <span className="unit">
          {" "}
          … and {formatCount(text.length - mostLetters)} more letters: copy to read all
        </span>
      )}
      {invisible !== "" && (
        <bdi className="attribute-invisible" dir="ltr">
          {" "}
          holds letters that cannot be seen: {invisible}
        </bdi>
      )}
    </span>
  );
}
