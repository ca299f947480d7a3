import "./loading.css";

/**
 * Shows which data is loading, as text. Placeholder rows or an axis could be mistaken for data.
 * @param wholePage true when nothing else is on the page; the text is then the page's heading
 */
export function Loading({ children, wholePage = false }: { children: string; wholePage?: boolean }) {
  const Text = wholePage ? "h1" : "span";
  return (
    <div className="loading" role="status" aria-busy="true">
      <Text>{children}</Text>
      <progress aria-label={children} />
    </div>
  );
}
