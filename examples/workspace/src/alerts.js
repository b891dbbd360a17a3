/** Beds whose last reading is too dry or too cold, driest first. */
export function bedsInNeed(readings, { minMoisture = 30, minCelsius = 8 } = {}) {
  const last = new Map();
  for (const reading of readings) last.set(reading.bed, reading);
  return [...last.values()]
    .filter((reading) => reading.moisture < minMoisture || reading.celsius < minCelsius)
    .sort((a, b) => a.moisture - b.moisture);
}
