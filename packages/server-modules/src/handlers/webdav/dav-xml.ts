import type { Element } from "@xmldom/xmldom";
import type { Exchange } from "http-engine/exchange";
import { DavError } from "./dav-error.ts";

/** Maximum number of bytes of a request body; a longer body is refused. Real bodies have a few hundred. */
const maxBodyBytes = 64 * 1024;
/** Largest depth of nested elements. A deeper document is malformed. Real bodies have four or five levels. */
const maxDepth = 32;
/** Node type of an element. Source: DOM, section 4.4 */
const elementType = 1;

/** The namespace of WebDAV. */
export const dav = "DAV:";

/** An element of a request body, without its attributes. */
export interface DavElement {
  /** Namespace; "" for an element without a namespace. */
  readonly space: string;
  /** Name without prefix. */
  readonly name: string;
  /** Elements and texts, in their order. */
  readonly content: readonly (DavElement | string)[];
}

export function childrenOf({ content }: DavElement): DavElement[] {
  return content.filter((each) => typeof each !== "string");
}

/** Child elements with this name in the WebDAV namespace. */
export function davChildren(element: DavElement, name: string): DavElement[] {
  return childrenOf(element).filter((each) => each.space === dav && each.name === name);
}

/** Escapes text for XML. Characters that XML forbids would make the whole response unreadable. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Writes an element with its content; a namespace other than WebDAV's is declared on the element. */
export function writeElement({ space, name }: Pick<DavElement, "space" | "name">, inner: string): string {
  const tag = space === dav ? `D:${name}` : name;
  const start = space === dav ? tag : `${tag} xmlns="${escapeXml(space).replaceAll('"', "&#34;")}"`;
  return inner === "" ? `<${start}></${tag}>` : `<${start}>${inner}</${tag}>`;
}

/** Writes the content of an element, for a document with the prefix D. */
export function writeContent({ content }: DavElement): string {
  return content
    .map((each) => (typeof each === "string" ? escapeXml(each) : writeElement(each, writeContent(each))))
    .join("");
}

function malformed(reason: string): DavError {
  return new DavError(400, `the body cannot be read as XML: ${reason}`);
}

/** Converts an element without comments, instructions and attributes. @throws DavError 400 */
function elementOf(node: Element, depth: number): DavElement {
  if (depth > maxDepth) {
    throw malformed(`elements are nested deeper than the limit of ${maxDepth}`);
  }
  const name = node.localName ?? node.nodeName;
  if (!/^[\p{L}_][\p{L}\p{N}\p{M}._-]*$/u.test(name)) {
    throw malformed("the name of an element is none");
  }
  if (node.prefix !== null && (node.namespaceURI ?? "") === "") {
    throw malformed(`the prefix ${node.prefix} has no namespace`);
  }
  const content: (DavElement | string)[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType === elementType) {
      content.push(elementOf(child as Element, depth + 1));
    } else if (child.nodeType === 3 || child.nodeType === 4) {
      content.push(child.nodeValue ?? ""); // text, and text in a CDATA section
    }
  }
  return { space: node.namespaceURI ?? "", name, content };
}

/**
 * Parses the XML body of a request.
 * @returns undefined when the request has no body
 * @throws DavError 400 for invalid XML, and for a document type declaration, which could define entities
 */
export async function readXmlBody(exchange: Exchange): Promise<DavElement | undefined> {
  const bytes = await exchange.bufferBody(maxBodyBytes);
  if (bytes.length === 0) {
    return undefined;
  }
  const { DOMParser } = await import("@xmldom/xmldom"); // loaded on first use, because most requests have no such body
  let root: Element | null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (/<!DOCTYPE/i.test(text)) {
      throw new Error("it has a document type");
    }
    const onError = (level: string, message: string) => {
      if (level !== "warning") {
        throw new Error(message);
      }
    };
    root = new DOMParser({ onError }).parseFromString(text, "text/xml").documentElement;
  } catch (error) {
    throw malformed((error as Error).message.slice(0, 200));
  }
  if (root === null) {
    throw malformed("it is empty");
  }
  return elementOf(root, 1);
}
