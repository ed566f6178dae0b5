package lot

import "strings"

// yearCodes are VIN position 10 for the model years from 2010.
const yearCodes = "ABCDEFGHJKLMNPRSTVWXY123456789"

var vinWeights = [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}

// checkDigit is VIN position 9 (49 CFR 565.15); what stands there is ignored.
func checkDigit(vin string) byte {
	const letters, values = "ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789"
	sum := 0
	for i := range vinWeights {
		v := int(vin[i] - '0')
		if at := strings.IndexByte(letters, vin[i]); at >= 0 {
			v = int(values[at] - '0')
		}
		sum += v * vinWeights[i]
	}
	if sum %= 11; sum == 10 {
		return 'X'
	}
	return byte('0' + sum)
}

// makeVIN puts a VIN together: 3 characters of maker, 4 of model, one of
// trim, the check digit, model year, plant and six of serial number.
func makeVIN(wmi, vds string, trim, plant byte, year int, serial string) string {
	return checked(wmi + vds + string(trim) + "0" + string(yearCodes[year-2010]) + string(plant) + serial)
}

// checked is the VIN with its check digit.
func checked(vin string) string { return vin[:8] + string(checkDigit(vin)) + vin[9:] }
