import { ServerError } from "server-core/errors";

/** An element of an XML answer, with the parts that providers use. */
export interface XmlElement {
  /** All elements with this name inside this element, at any depth. */
  all(name: string): XmlElement[];
  /** The text of the first element with this name inside this element; undefined without such an element. */
  text(name: string): string | undefined;
  /** The value of an attribute; "" for a missing attribute. */
  attribute(name: string): string;
  readonly ownText: string;
}

interface Node {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  getElementsByTagName(name: string): ArrayLike<Node>;
}

function elementOf(node: Node): XmlElement {
  const all = (name: string) => Array.from(node.getElementsByTagName(name), elementOf);
  return {
    all,
    text: (name) => all(name)[0]?.ownText,
    attribute: (name) => node.getAttribute(name) ?? "",
    ownText: node.textContent ?? "",
  };
}

/**
 * Reads an XML document. A document with a document type is refused, so that no entities are expanded. @throws
 * ServerError ACME
 */
export async function readXml(text: string): Promise<XmlElement> {
  const { DOMParser } = await import("@xmldom/xmldom"); // loaded on first use
  try {
    if (text.includes("<!DOCTYPE")) {
      throw new ServerError("ACME", "it has a document type");
    }
    const document = new DOMParser({ onError: onErrorThrow }).parseFromString(text, "text/xml");
    if (document.documentElement === null) {
      throw new ServerError("ACME", "it is empty");
    }
    return elementOf(document.documentElement as unknown as Node);
  } catch (error) {
    throw new ServerError("ACME", "an answer that cannot be read as XML", { cause: error });
  }
}

function onErrorThrow(level: string, message: string): void {
  if (level !== "warning") {
    throw new ServerError("ACME", message);
  }
}
