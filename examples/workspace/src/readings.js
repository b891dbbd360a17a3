/** Parses the sensors' CSV: one reading a line, `bed,time,moisture,celsius`. */
export function parseReadings(text) {
  const [header, ...lines] = text.trim().split('\n');
  if (header !== 'bed,time,moisture,celsius') throw new Error(`unexpected header: ${header}`);
  return lines.map((line, index) => {
    const [bed, time, moisture, celsius] = line.split(',');
    const reading = { bed, time, moisture: Number(moisture), celsius: Number(celsius) };
    if (Number.isNaN(reading.moisture)) throw new Error(`line ${index + 2}: moisture is not a number`);
    return reading;
  });
}
