/**
 * The error for files of a part that cannot be read here: they have another version, are damaged, or were removed
 * meanwhile. The engine then answers the statement.
 */
export class UnreadablePart extends Error {
  override readonly name = "UnreadablePart";
}
