package feed

import (
	"bytes"
	"encoding/json"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// filled reports whether a listing shows the member.
func filled(v *aap.Vehicle, m member) bool {
	switch m {
	case mVIN:
		return v.VIN != ""
	case mStock:
		return v.Stock != ""
	case mVehicleID:
		return v.VehicleID != ""
	case mYear:
		return v.Year != nil
	case mMake:
		return v.Make != ""
	case mModel:
		return v.Model != ""
	case mTrim:
		return v.Trim != ""
	case mCondition:
		return v.Condition != ""
	case mVehicleType:
		return v.VehicleType != ""
	case mRooftop:
		return v.Rooftop != ""
	case mPrice:
		return v.Price != nil
	case mListPrice:
		return v.ListPrice != nil
	case mMSRP:
		return v.MSRP != nil
	case mFees:
		return v.Fees != nil
	case mMileage:
		return v.Mileage != nil
	case mBody:
		return v.Body != ""
	case mTransmission:
		return v.Transmission != ""
	case mDriveline:
		return v.Driveline != ""
	case mEngine:
		return v.Engine != ""
	case mDisplacement:
		return v.DisplacementCC != nil
	case mFuel:
		return v.Fuel != ""
	case mCityMPG:
		return v.CityMPG != nil
	case mHighwayMPG:
		return v.HighwayMPG != nil
	case mElectricRange:
		return v.ElectricRangeMi != nil
	case mBattery:
		return v.BatteryKWh != nil
	case mMotorPower:
		return v.MotorPowerHP != nil
	case mFastCharge:
		return v.DCFastCharge != nil
	case mChargePort:
		return v.ChargePort != ""
	case mExteriorColor:
		return v.ExteriorColor != ""
	case mInteriorColor:
		return v.InteriorColor != ""
	case mFeatures:
		return len(v.Features) > 0
	case mPhotos:
		return len(v.Photos) > 0
	case mVDPURL:
		return v.VDPURL != ""
	case mDescription:
		return v.Description != ""
	case mNotes:
		return v.Notes != ""
	case mInventoryDate:
		return v.InventoryDate != ""
	case mUpdatedAt:
		return v.UpdatedAt != ""
	}
	return false
}

// shown reports members whose absence is worth a line in the report.
func shown(m member) bool {
	switch m {
	case mVIN, mStock, mYear, mMake, mModel, mTrim, mCondition, mPrice, mListPrice, mMileage, mBody, mExteriorColor,
		mPhotos, mVDPURL, mDescription, mRooftop:
		return true
	}
	return false
}

// differences names the members in which two rows of one unit differ.
func differences(a, b *inventory.Vehicle) []string {
	var out []string
	if a.State != b.State {
		out = append(out, "status")
	}
	left, right := membersOf(&a.Listing), membersOf(&b.Listing)
	for name := range right {
		if left[name] == nil {
			left[name] = nil
		}
	}
	for _, name := range sortedKeys(left) {
		if !bytes.Equal(left[name], right[name]) {
			out = append(out, name)
		}
	}
	return out
}

func membersOf(v *aap.Vehicle) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	if b, err := json.Marshal(v); err == nil {
		_ = json.Unmarshal(b, &out)
	}
	return out
}
