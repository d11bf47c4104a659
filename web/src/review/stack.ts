/**
 * The tops of cards below one another, each as near as may be to the place that it is about.
 *
 * @param wanted - Where each would stand, in the order of the cards.
 * @param heights - Of the cards.
 */
export function stack(wanted: readonly number[], heights: readonly number[], gap: number): number[] {
  let free = 0;
  return wanted.map((place, index) => {
    const top = Math.max(place, free);
    free = top + (heights[index] ?? 0) + gap;
    return top;
  });
}
