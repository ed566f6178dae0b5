package lot

var (
	colors = []string{"Crystal Black Pearl", "Glacier White", "Magnetic Gray Metallic", "Lunar Silver Metallic", "Agate Black", "Oxford White",
		"Soul Red Crystal", "Race Red", "Deep Blue Pearl", "Velocity Blue", "Canyon Bronze", "Cavalry Green", "Desert Sand", "Celestial Silver"}
	motorcycleColors = []string{"Vivid Black", "Gloss Black", "Matte Gray", "Rally Red", "Racing Blue", "Pearl White", "Billet Silver"}
	interiors        = []string{"Black Cloth", "Gray Cloth", "Black Leather", "Saddle Brown Leather", "Light Gray Leatherette", "Black SofTex"}

	basics  = []string{"Apple CarPlay", "Android Auto", "Backup Camera", "Adaptive Cruise Control", "Lane Keeping Assist", "Keyless Entry", "Bluetooth"}
	comfort = []string{"Heated Front Seats", "Ventilated Front Seats", "Panoramic Moonroof", "Power Liftgate", "Leather Seats", "Premium Audio",
		"Navigation", "360-Degree Camera", "Heated Steering Wheel", "Wireless Charging", "Head-Up Display", "Blind Spot Monitor"}
	hauling = []string{"Tow Package", "Spray-In Bedliner", "Trailer Brake Controller", "Running Boards", "Tonneau Cover", "Off-Road Suspension"}
	plugged = []string{"Heat Pump", "One-Pedal Driving", "Battery Preconditioning", "Mobile Charging Cable", "Vehicle-to-Load Outlet"}
	riding  = []string{"ABS", "Traction Control", "Cruise Control", "Heated Grips", "Quickshifter", "Saddlebags", "Windshield", "LED Lighting", "Ride Modes"}

	storiesUsed = []string{"One owner, clean history report, serviced on schedule.", "Local trade-in with both keys and service records.",
		"Non-smoker vehicle, freshly inspected, new all-season tires.", "Lease return in excellent shape; balance of factory warranty may apply."}
	storiesCPO = []string{"Certified pre-owned: multi-point inspection passed, extended powertrain coverage included."}
	storiesNew = []string{"Factory fresh and ready for a test drive.", "New arrival with the options local drivers ask for.", ""}
)
